// A long prompt keeps to its part of the screen, so that the responses stay in sight: it scrolls in itself, and a button
// or the key that opens folds shows all of it.  Remembered in this browser.
(() => {
  const NAME = "touchstone.prompt";
  const task = () => document.getElementById("task");
  const box = () => task()?.querySelector("[data-prompt]");
  const observer = new ResizeObserver(measure);

  function isWhole() {
    try {
      return localStorage.getItem(NAME) === "whole";
    } catch {
      return box()?.hasAttribute("data-whole") ?? false;
    }
  }

  function measure() {
    const prompt = box();
    if (!prompt) return;
    const whole = isWhole();
    prompt.removeAttribute("data-whole");
    const capped = prompt.scrollHeight > prompt.clientHeight + 1;
    prompt.toggleAttribute("data-whole", whole);
    prompt.toggleAttribute("data-capped", capped);
    if (capped && !whole) prompt.tabIndex = 0;
    else prompt.removeAttribute("tabindex");
    const toggle = task().querySelector("[data-toggle-prompt]");
    toggle.hidden = !capped;
    toggle.setAttribute("aria-expanded", String(whole));
    document.dispatchEvent(new CustomEvent("touchstone:prompt-measured"));
  }

  function show(whole) {
    try {
      localStorage.setItem(NAME, whole ? "whole" : "part");
    } catch {
      // Not remembered, then.
    }
    box()?.toggleAttribute("data-whole", whole);
    measure();
  }

  function arrive() {
    observer.disconnect();
    for (const part of box()?.children ?? []) observer.observe(part);
    measure();
  }

  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-toggle-prompt]");
    if (toggle) show(toggle.getAttribute("aria-expanded") !== "true");
  });
  document.addEventListener("touchstone:folds", (event) => show(event.detail.open));
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  addEventListener("resize", measure);
  arrive();
})();
