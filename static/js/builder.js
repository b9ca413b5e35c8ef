// The builder's form: which questions are open goes with it, the focus follows what a button did, leaving asks first.
(() => {
  const form = () => document.querySelector("[data-builder]");
  let isDirty = false;

  function focusOn(name) {
    const found = name && document.getElementById(name);
    if (!found) return;
    const usable = "input:not([type=hidden], :disabled), select, textarea, summary, button:not(:disabled)";
    const target = found.disabled ? found.parentElement.querySelector("button:not(:disabled)") : found;
    const details = target.closest("details:not([open])");
    if (details) details.open = true;
    (target.matches(`${usable}, [tabindex]`) ? target : target.querySelector(usable))?.focus();
  }

  document.addEventListener("toggle", (event) => {
    if (!event.target.matches?.("[data-question-fields]")) return;
    const opened = event.target.closest("section").querySelector("[name=opened]");
    opened.disabled = !event.target.open;
  }, { capture: true });

  document.addEventListener("input", (event) => {
    if (event.target.form && event.target.form === form()) isDirty = true;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "builder-body" && !event.target.closest?.("#builder-body")) return;
    const marked = document.querySelector("#builder-body [data-focus]");
    if (!marked?.dataset.focus) return;
    isDirty = true;
    focusOn(marked.dataset.focus);
    marked.dataset.focus = "";
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#outcome a[href^='#']");
    if (!link) return;
    event.preventDefault();
    focusOn(link.getAttribute("href").slice(1));
  });

  document.addEventListener("submit", () => (isDirty = false));
  window.addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
})();
