// Keys declared by aria-keyshortcuts press the element that declares them; "?" lists them.
// Off for people who switched them off (WCAG 2.1.4), while typing, and with any modifier.
(() => {
  const TYPING = "textarea:not([data-keys-allowed]), select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
  const PRESSED_BY_ENTER = "a, button, summary, input, label, [role=button]";

  const areOff = () => document.documentElement.dataset.shortcuts === "off";
  const keysOf = (element) => element.getAttribute("aria-keyshortcuts").split(/\s+/);
  const isUsable = (element) => element.checkVisibility() && !element.disabled;
  const isLetter = (key) => key.length === 1 && key.toLowerCase() !== key.toUpperCase();

  function declaring(key) {
    const wanted = key.toLowerCase();
    return [...document.querySelectorAll("[aria-keyshortcuts]")].filter(
      (element) => isUsable(element) && keysOf(element).some((declared) => declared.toLowerCase() === wanted),
    );
  }

  // A key that several rows declare belongs to the row where one is, else to that row's question about its response; else
  // to the first row without an answer.
  function chosen(elements) {
    const inCurrent = elements.find((element) => element.closest("[data-row][data-current]"));
    const outside = elements.find((element) => !element.closest("[data-row]"));
    const unanswered = elements.find((element) => {
      const row = element.closest("[data-row]");
      return row && !row.querySelector(":checked");
    });
    const beside = elements.find((element) => element.closest("[data-question]")?.querySelector("[data-row][data-current]"));
    return inCurrent ?? outside ?? beside ?? unanswered ?? elements[0];
  }

  function labelOf(element) {
    if (element.dataset.shortcutLabel) return element.dataset.shortcutLabel;
    const words = (element.closest("label") ?? element).cloneNode(true);
    words.querySelectorAll("kbd").forEach((kbd) => kbd.remove());
    return words.textContent.replace(/\s+/g, " ").trim();
  }

  function rows() {
    const found = new Map();
    for (const element of document.querySelectorAll("[aria-keyshortcuts]")) {
      const keys = element.getAttribute("aria-keyshortcuts");
      if (!found.has(keys)) found.set(keys, labelOf(element));
    }
    return found;
  }

  function openList(dialog) {
    const list = dialog.querySelector("[data-shortcut-rows]");
    list.replaceChildren();
    for (const [keys, label] of rows()) {
      const term = document.createElement("dt");
      for (const key of keys.split(/\s+/)) {
        const kbd = document.createElement("kbd");
        kbd.textContent = key.replace("Arrow", "");
        term.append(kbd, " ");
      }
      const detail = document.createElement("dd");
      detail.textContent = label;
      list.append(term, detail);
    }
    dialog.querySelector("[data-shortcuts-off-note]").hidden = !areOff();
    dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-dialog=shortcut-list]");
    if (opener) openList(document.getElementById("shortcut-list"));
  });

  document.addEventListener("keydown", (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.defaultPrevented || areOff() || at.closest(TYPING) || document.querySelector("dialog[open]")) return;
    if (event.key === "?") {
      event.preventDefault();
      openList(document.getElementById("shortcut-list"));
      return;
    }
    if (event.shiftKey && isLetter(event.key)) return;
    if (event.key === "Enter" && at.closest(PRESSED_BY_ENTER)) return;
    if (event.key.startsWith("Arrow") && at.closest("input, textarea, [role=tablist], .prose, pre")) return;
    const element = chosen(declaring(event.key));
    if (!element) return;
    event.preventDefault();
    element.click();
    element.dispatchEvent(new CustomEvent("touchstone:key", { bubbles: true }));
  });
})();
