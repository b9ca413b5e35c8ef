// The time there is for one task: a countdown in sight, said aloud at half, at one minute and at the end.  Nothing is
// taken away when it is over.  The server's clock decides; this one only shows it.
(() => {
  const TICK_MS = 1000;
  let assignment = "";
  let ends = 0;
  let before = Infinity;

  const shown = () => document.querySelector("#task [data-limit]");
  const words = (name, clock = "") => document.querySelector("#task [data-words]").dataset[name].replace("%s", clock);
  const say = (text) => document.dispatchEvent(new CustomEvent("touchstone:say", { detail: { text } }));

  function clock(seconds) {
    const whole = Math.ceil(Math.abs(seconds));
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  function passed(mark, left) {
    return before > mark && left <= mark;
  }

  function tick() {
    const limit = shown();
    if (!limit) return;
    const mine = document.getElementById("task").dataset.task;
    if (mine !== assignment) {
      assignment = mine;
      ends = performance.now() + Number(limit.dataset.limitLeft) * 1000;
      before = Number(limit.dataset.limitLeft) + 1;
    }
    const left = (ends - performance.now()) / 1000;
    const total = Number(limit.dataset.limit);
    limit.querySelector("[data-limit-clock]").textContent = left > 0 ? words("left", clock(left)) : words("overtime", clock(left));
    limit.toggleAttribute("data-over", left <= 0);
    if (passed(0, left)) say(words("late"));
    else if (passed(60, left) && total > 60) say(words("minute"));
    else if (passed(total / 2, left)) say(words("half", clock(left)));
    before = left;
  }

  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && tick());
  tick();
  setInterval(tick, TICK_MS);
})();
