// Inside the preview's frame: an answer that may show or hide another question is told to the builder around it.
(() => {
  document.addEventListener("change", () => {
    if (!document.querySelector("#task[data-conditions]") || window.parent === window) return;
    window.parent.document.dispatchEvent(new CustomEvent("touchstone:tried-inside"));
  });
  document.addEventListener("submit", (event) => event.preventDefault());
})();
