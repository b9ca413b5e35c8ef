// One question or criterion at a time is current: its keys work, j and k move on, an answer by key moves to the next;
// what only changes an answer (data-row-stays) does not.
(() => {
  const task = () => document.getElementById("task");
  const rows = () => [...(task()?.querySelectorAll("[data-row]") ?? [])].filter((row) => row.checkVisibility());
  const current = () => task()?.querySelector("[data-row][data-current]");
  // Rows that share one answer are answered together.
  const isAnswered = (row) => {
    const answer = row.closest("[data-one-answer]") ?? row;
    return Boolean(answer.querySelector("input:checked") || answer.querySelector("input[type=number]")?.value);
  };

  function make(row) {
    if (!row || row === current()) return;
    current()?.removeAttribute("data-current");
    row.setAttribute("data-current", "");
  }

  function go(row) {
    if (!row) return;
    make(row);
    if (row.hasAttribute("tabindex")) row.focus();
    else row.querySelector("[data-row-focus], input:checked, input:not([type=hidden]), textarea")?.focus();
  }

  function step(by) {
    const all = rows();
    const at = all.indexOf(current());
    const started = all.some((row) => row.contains(document.activeElement));
    go(started ? all[Math.min(Math.max(at + by, 0), all.length - 1)] : all[at] ?? all[0]);
  }

  function onward(from) {
    const all = rows();
    const at = all.indexOf(from);
    const next = [...all.slice(at + 1), ...all.slice(0, at)].find((row) => !isAnswered(row));
    if (next && next.hasAttribute("tabindex")) go(next);
  }

  const start = () => make(rows().find((row) => !isAnswered(row)) ?? rows()[0]);

  document.addEventListener("focusin", (event) => make(event.target.closest?.("#task [data-row]")));
  document.addEventListener("click", (event) => {
    const stepper = event.target.closest("[data-row-step]");
    if (stepper) step(Number(stepper.dataset.rowStep));
  });
  document.addEventListener("touchstone:key", (event) => {
    const row = event.target.closest("[data-row]");
    if (!row) return;
    make(row);
    if (!event.target.closest("[data-row-stays]")) onward(row);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "task") start();
  });
  document.addEventListener("touchstone:restored", () => {
    current()?.removeAttribute("data-current");
    start();
  });
  if (task()) start();
})();
