// Rendered or source, folds open or not, guidelines open or not: remembered in this browser, applied to every new task.
(() => {
  const NARROW = "(max-width: 64rem)";
  const task = () => document.getElementById("task");

  function remember(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Not remembered, then.
    }
  }

  function recall(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  function showSource(on) {
    for (const element of task()?.querySelectorAll("[data-source]") ?? []) element.hidden = !on;
    for (const element of task()?.querySelectorAll("[data-rendered]") ?? []) element.hidden = on;
    task()?.querySelector("[data-toggle-source]")?.setAttribute("aria-pressed", String(on));
  }

  function showFolds() {
    const folds = [...(task()?.querySelectorAll("[data-fold]") ?? [])];
    const toggle = task()?.querySelector("[data-toggle-folds]");
    if (!toggle) return;
    const prompt = task().querySelector("[data-prompt][data-capped]");
    toggle.hidden = !folds.length && !prompt;
    toggle.setAttribute("aria-pressed", String(folds.every((fold) => fold.open) && (prompt?.hasAttribute("data-whole") ?? true)));
  }

  function apply() {
    showFolds();
    showSource(recall("touchstone.source") === "on");
    const guide = task()?.querySelector("[data-guide]");
    if (!guide) return;
    const kept = recall(`touchstone.guide.${guide.dataset.guide}`);
    guide.open = kept ? kept === "open" : !matchMedia(NARROW).matches;
  }

  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-toggle-source]");
    if (!toggle) return;
    const on = toggle.getAttribute("aria-pressed") !== "true";
    remember("touchstone.source", on ? "on" : "off");
    showSource(on);
  });
  document.addEventListener("click", (event) => {
    const guide = event.target.closest("summary")?.parentElement;
    if (guide?.matches("[data-guide]")) remember(`touchstone.guide.${guide.dataset.guide}`, guide.open ? "closed" : "open");
  });
  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-toggle-folds]");
    if (!toggle) return;
    const open = toggle.getAttribute("aria-pressed") !== "true";
    for (const fold of task().querySelectorAll("[data-fold]")) fold.open = open;
    document.dispatchEvent(new CustomEvent("touchstone:folds", { detail: { open } }));
  });
  document.addEventListener("touchstone:prompt-measured", showFolds);
  document.addEventListener("toggle", (event) => event.target.matches?.("[data-fold]") && showFolds(), { capture: true });
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && apply());
  apply();
})();
