// One submit at a time, and a failed one says why and can be sent again: the key on the form makes that harmless.
(() => {
  const ARRIVAL_MS = 700;
  let arrived = -Infinity;  // a page that was loaded whole is no surprise
  let touched = false;

  const form = () => document.getElementById("answer");
  const isAnswer = (event) => event.detail.elt?.id === "answer" || event.target.id === "answer";

  function fail(why) {
    const template = document.querySelector("[data-submit-failed]");
    const errors = document.getElementById("errors");
    if (!template || !errors) return;
    errors.replaceChildren(template.content.cloneNode(true));
    for (const line of errors.querySelectorAll("[data-why]")) line.hidden = line.dataset.why !== why;
    errors.firstElementChild.focus();
  }

  // The second half of a double click or a double Enter lands on the next, untouched task: it meant the first one.
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "answer" || touched || performance.now() - arrived > ARRIVAL_MS) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });

  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("dialog")) return;
    const inForm = event.target.form?.id === "answer" || event.target === document.body || event.target.closest?.("#task");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat && inForm) form()?.requestSubmit();
  });
  document.addEventListener("change", () => { touched = true; });
  document.addEventListener("input", () => { touched = true; });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isAnswer(event)) document.querySelector("[data-submit]")?.setAttribute("aria-disabled", "true");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (isAnswer(event)) document.querySelector("[data-submit]")?.removeAttribute("aria-disabled");
  });
  document.addEventListener("htmx:responseError", (event) => isAnswer(event) && fail("broken"));
  document.addEventListener("htmx:sendError", (event) => isAnswer(event) && fail("offline"));
  document.addEventListener("htmx:timeout", (event) => isAnswer(event) && fail("slow"));
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "task") return;
    arrived = performance.now();
    touched = false;
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.open) event.target.querySelector?.("[data-focus-on-open]")?.focus();
  }, { capture: true });
})();
