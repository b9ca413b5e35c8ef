// The next task is fetched while this one is worked on, and shown when the answer is in: the server says in its reply
// that the lease of what was fetched stands, and sends only what it could not know before (number, undo).
(() => {
  const WAIT_MS = 400;
  const HEADER = "Touchstone-Ahead";
  let kept = null;
  let sent = null;
  let timer = 0;

  const task = () => document.querySelector("#task[data-ahead-url]:not([data-editing])");
  const ask = (method, url) => fetch(url, {
    method,
    keepalive: method === "DELETE",
    headers: { "HX-Request": "true", "X-CSRFToken": document.querySelector("#answer [name=csrfmiddlewaretoken]").value },
  });

  const parse = (text) => new DOMParser().parseFromString(text, "text/html");

  async function look() {
    const here = task();
    if (!here || kept?.beside === here.dataset.task || document.visibilityState === "hidden") return;
    const { task: beside, aheadUrl: url } = here.dataset;
    try {
      const reply = await ask("POST", url);
      if (reply.status !== 200) return;
      const page = parse(await reply.text());
      if (task()?.dataset.task === beside) kept = { beside, url, id: reply.headers.get(HEADER), page };
    } catch {
      // Offline: the next task is asked for when the answer is in.
    }
  }

  function lookSoon() {
    clearTimeout(timer);
    if (task()) timer = setTimeout(look, WAIT_MS);
  }

  const endsTask = (element) => element?.matches?.("#answer, .skip-panel");

  document.addEventListener("htmx:configRequest", (event) => {
    if (!endsTask(event.detail.elt) || kept?.beside !== task()?.dataset.task) return;
    sent = kept;
    if (sent) event.detail.parameters.ahead = sent.id;
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const id = event.detail.xhr.getResponseHeader(HEADER);
    if (!id || !endsTask(event.detail.requestConfig.elt)) return;
    if (sent?.id !== id) {
      event.detail.shouldSwap = false;
      location.assign(task()?.dataset.workUrl ?? "/");
      return;
    }
    const fresh = parse(event.detail.serverResponse);
    for (const part of fresh.querySelectorAll("[data-fresh]")) {
      sent.page.querySelector(`#${part.id}`)?.replaceWith(part);
    }
    event.detail.serverResponse = sent.page.body.innerHTML + fresh.body.innerHTML;
    kept = sent = null;
  });

  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && lookSoon());
  document.addEventListener("touchstone:beat", (event) => {
    if (kept && event.detail.ahead !== kept.id) kept = null;
    if (!kept) lookSoon();
  });
  document.addEventListener("touchstone:token-fresh", () => {
    kept = null;
    lookSoon();
  });
  addEventListener("pagehide", () => {
    if (kept) ask("DELETE", kept.url).catch(() => {});
    kept = null;
  });
  lookSoon();
})();
