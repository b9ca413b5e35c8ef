// The dialog in which a task is flagged closes when the note is in; when it is not, it stays, with its text.  The same
// line says so for the button under the guidelines.
(() => {
  const failedLine = (form) => form?.querySelector("[data-flag-failed], [data-acknowledge-failed]");
  const isOurs = (element) => element?.matches?.("[data-flag] form, [data-acknowledge]");

  function say(event, failed) {
    const form = event.detail.elt;
    if (isOurs(form)) failedLine(form).hidden = !failed;
  }

  document.addEventListener("touchstone:flagged", () => {
    const dialog = document.querySelector("[data-flag]");
    dialog?.querySelector("form").reset();
    dialog?.close();
  });
  document.addEventListener("htmx:beforeRequest", (event) => say(event, false));
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, (event) => say(event, true));
  }
  document.addEventListener("touchstone:login-needed", () => document.querySelector("[data-flag][open]")?.close());
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 401) document.querySelector("[data-flag][open]")?.close();
  });
})();
