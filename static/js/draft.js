// Nothing typed is lost: each change is kept in this browser at once and on the server a moment later.
// The browser's copy carries the person and the assignment in its name, goes when the answer is in, or after a week.
(() => {
  const PREFIX = "touchstone.draft.";
  const WAIT_MS = 900;
  const KEPT_MS = 7 * 24 * 3600 * 1000;
  let timer = 0;
  let pending = null;

  const task = () => document.querySelector("#task[data-task]");
  const form = () => document.getElementById("answer");
  const words = (name) => task()?.querySelector("[data-words]")?.dataset[name] ?? "";
  const nameOf = (assignment) => `${PREFIX}${document.documentElement.dataset.user}.${assignment}`;
  const say = (text) => document.dispatchEvent(new CustomEvent("touchstone:say", { detail: { text } }));

  function fields() {
    return [...new FormData(form())].filter(([name]) => name.startsWith("q."));
  }

  function showState(text) {
    const state = document.querySelector("[data-draft-state]");
    if (state) state.textContent = text;
  }

  function keepHere(assignment, entries) {
    try {
      localStorage.setItem(nameOf(assignment), JSON.stringify({ at: Date.now(), entries }));
    } catch {
      // A full or forbidden storage: the server's copy is the only one.
    }
  }

  function hide(keys) {
    for (const question of task().querySelectorAll("[data-question]")) question.hidden = keys.includes(question.dataset.question);
  }

  async function keepThere(url, assignment, entries) {
    const token = document.querySelector("#answer [name=csrfmiddlewaretoken]")?.value;
    const body = new URLSearchParams([...entries, ["csrfmiddlewaretoken", token]]);
    try {
      const reply = await fetch(url, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true });
      if (task()?.dataset.task !== assignment) return;
      if (reply.status === 401 || reply.status === 403) document.dispatchEvent(new CustomEvent("touchstone:login-needed"));
      if (!reply.ok) throw new Error(`draft answered ${reply.status}`);
      const { hidden } = await reply.json();
      if (task().hasAttribute("data-conditions")) hide(hidden);
      showState(words("draftSaved"));
    } catch {
      if (task()?.dataset.task === assignment) showState(words("unsaved"));
    }
  }

  function send() {
    clearTimeout(timer);
    const job = pending;
    pending = null;
    if (job) keepThere(...job);
  }

  function changed(event) {
    const input = event.target;
    // A field that leaves with the focus says `change` when the next task is there already, whose form has the same id.
    if (!task()?.contains(input) || input.form !== form() || !input.name?.startsWith("q.")) return;
    const { task: assignment, draftUrl } = task().dataset;
    const entries = fields();
    keepHere(assignment, entries);
    pending = [draftUrl, assignment, entries];
    clearTimeout(timer);
    timer = setTimeout(send, input.type === "radio" && task().hasAttribute("data-conditions") ? 0 : WAIT_MS);
  }

  function restore() {
    if (!task()) return;
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(nameOf(task().dataset.task)));
    } catch {
      return;
    }
    const onServer = Number(task().dataset.draftAt || 0) * 1000;
    if (!kept || kept.at < onServer || JSON.stringify(kept.entries) === JSON.stringify(fields())) return;
    for (const element of form().elements) {
      if (!element.name?.startsWith("q.")) continue;
      const values = kept.entries.filter(([name]) => name === element.name).map(([, value]) => value);
      if (element.type === "radio" || element.type === "checkbox") element.checked = values.includes(element.value);
      else element.value = values[0] ?? "";
      if (element.value && element.type === "textarea") element.closest("details")?.setAttribute("open", "");
    }
    document.dispatchEvent(new CustomEvent("touchstone:restored"));
    say(words("restored"));
    if (!task().hasAttribute("data-editing")) {
      pending = [task().dataset.draftUrl, task().dataset.task, fields()];
      send();
    }
  }

  function forgetOld() {
    for (const name of Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))) {
      if (Date.now() - (JSON.parse(localStorage.getItem(name))?.at ?? 0) > KEPT_MS) localStorage.removeItem(name);
    }
  }

  document.addEventListener("input", changed);
  document.addEventListener("change", changed);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && send());
  document.addEventListener("touchstone:token-fresh", () => {
    if (!task()) return;
    pending = [task().dataset.draftUrl, task().dataset.task, fields()];
    send();
  });
  document.addEventListener("touchstone:ended", (event) => {
    clearTimeout(timer);
    pending = null;
    localStorage.removeItem(nameOf(event.detail.assignment));
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "task") restore();
  });
  forgetOld();
  restore();
})();
