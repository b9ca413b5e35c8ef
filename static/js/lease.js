// The seat is held while the person works: a heartbeat a quarter of the lease apart, with the active seconds so far.  Without activity the lease runs
// down; a warning comes in time, and one click extends it (WCAG 2.2.1).
(() => {
  const TICK_MS = 1000;
  const WARN_SECONDS = 120;
  const MOST_SECONDS = 40;  // what is leased ahead (ahead.js) is held for two minutes
  let assignment = "";
  let ends = 0;
  let length = 0;
  let sent = 0;
  let active = false;

  const task = () => document.querySelector("#task[data-heartbeat-url]");
  const notice = () => task()?.querySelector("[data-lease-notice]");
  const words = (name) => task().querySelector("[data-words]").dataset[name];

  function clock(seconds) {
    return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  }

  function show(state, left) {
    if (!notice() || notice().dataset.state === state) return;
    notice().dataset.state = state;
    notice().hidden = state === "";
    if (state) task().querySelector("[data-lease-words]").textContent = words(state).replace("%s", clock(left));
  }

  async function beat({ aloud = false } = {}) {
    const mine = assignment;
    sent = Date.now();
    active = false;
    const token = document.querySelector("#answer [name=csrfmiddlewaretoken]").value;
    try {
      const reply = await fetch(task().dataset.heartbeatUrl, {
        method: "POST",
        body: new URLSearchParams({ csrfmiddlewaretoken: token, seconds: document.querySelector("#answer [data-seconds]").value }),
        headers: { "HX-Request": "true" },
      });
      if (mine !== assignment || !task()) return;
      if (reply.status === 401 || reply.status === 403) document.dispatchEvent(new CustomEvent("touchstone:login-needed"));
      if (!reply.ok) return;
      const { held, seconds_left: left, message, ahead } = await reply.json();
      document.dispatchEvent(new CustomEvent("touchstone:beat", { detail: { ahead } }));
      if (held) ends = Date.now() + left * 1000;
      if (aloud) document.dispatchEvent(new CustomEvent("touchstone:say", { detail: { text: held ? words("held") : message } }));
      tick();
    } catch {
      // Offline: the lease runs down and the warning says so; the draft is kept in the browser.
    }
  }

  function arrive() {
    if (!task() || task().dataset.task === assignment) return;
    assignment = task().dataset.task;
    length = Number(task().dataset.secondsLeft);
    ends = Date.now() + length * 1000;
    sent = Date.now();
    active = false;
    if (length === 0 && !task().hasAttribute("data-editing")) beat();
  }

  function tick() {
    if (!task() || task().hasAttribute("data-editing")) return;
    arrive();
    const left = (ends - Date.now()) / 1000;
    const warnAt = Math.min(WARN_SECONDS, length / 3);
    if (left > warnAt) show("", left);
    else show(left > 0 ? "soon" : "over", Math.max(left, 0));
    if (active && Date.now() - sent > Math.max(Math.min(length / 4, MOST_SECONDS), 15) * 1000) beat();
  }

  for (const name of ["keydown", "pointerdown", "input", "scroll"]) {
    document.addEventListener(name, () => { active = true; }, { passive: true, capture: true });
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-extend-lease]")) beat({ aloud: true });
  });
  document.addEventListener("touchstone:token-fresh", () => task() && beat());
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  arrive();
  setInterval(tick, TICK_MS);
})();
