// Active seconds on a task: time with the page in sight, up to IDLE_MS after the last sign of life.
// They go along with heartbeats, skip and submit; the server checks and keeps them, and a page goes on from what it kept.
(() => {
  const IDLE_MS = 30000;
  const STEP_MS = 500;
  let assignment = "";
  let seconds = 0;
  let alive = performance.now();
  let counted = performance.now();

  const task = () => document.querySelector("#task[data-task]");
  const storeName = () => `touchstone.seconds.${assignment}`;

  function arrive() {
    const here = task()?.dataset.task ?? "";
    if (here === assignment) return;
    if (assignment) sessionStorage.removeItem(storeName());
    assignment = here;
    const kept = here ? Math.max(Number(sessionStorage.getItem(storeName()) ?? 0), Number(task().dataset.activeSeconds || 0)) : 0;
    seconds = here && !task().hasAttribute("data-editing") ? kept : 0;
    alive = counted = performance.now();
  }

  function count() {
    const now = performance.now();
    const until = Math.min(now, alive + IDLE_MS);
    if (assignment && document.visibilityState === "visible" && until > counted) seconds += (until - counted) / 1000;
    counted = now;
    for (const input of document.querySelectorAll("[data-seconds]")) input.value = seconds.toFixed(1);
  }

  for (const name of ["keydown", "pointerdown", "pointermove", "scroll", "input"]) {
    document.addEventListener(name, () => { count(); alive = performance.now(); }, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", count);
  document.addEventListener("submit", count, { capture: true });
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  addEventListener("pagehide", () => assignment && sessionStorage.setItem(storeName(), String(seconds)));
  arrive();
  setInterval(count, STEP_MS);
})();
