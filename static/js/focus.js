// After a swap, the element marked data-autofocus inside it gets the focus: a new task's heading, an error summary.  Not an
// error summary while one goes on writing: the rest of the word would land on it, and act as keys.
(() => {
  let sentAt = 0;
  let wroteAt = -1;

  document.addEventListener("htmx:beforeRequest", () => { sentAt = performance.now(); });
  document.addEventListener("input", () => { wroteAt = performance.now(); }, { capture: true });
  document.addEventListener("htmx:afterSettle", (event) => {
    const swapped = event.target;
    if (!(swapped instanceof Element) || !swapped.isConnected) return;
    const target = swapped.matches("[data-autofocus]") ? swapped : swapped.querySelector("[data-autofocus]");
    const writes = wroteAt > sentAt && document.activeElement?.matches("textarea, input:not([type=radio], [type=checkbox])");
    if (target?.tagName === "H1" || !writes) target?.focus({ preventScroll: target.tagName === "H1" });
  });
})();
