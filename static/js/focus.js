// After a swap, the element marked data-autofocus inside it gets the focus: a new task's heading, an error summary.
(() => {
  document.addEventListener("htmx:afterSettle", (event) => {
    const swapped = event.target;
    if (!(swapped instanceof Element) || !swapped.isConnected) return;
    const target = swapped.matches("[data-autofocus]") ? swapped : swapped.querySelector("[data-autofocus]");
    target?.focus({ preventScroll: target.tagName === "H1" });
  });
})();
