// The height of the sticky bar, for scroll-padding: what has the focus is never under it (WCAG 2.4.11).
(() => {
  const observer = new ResizeObserver(([entry]) => {
    const height = entry.target.isConnected ? entry.target.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar-height", `${height}px`);
  });

  function watch() {
    observer.disconnect();
    const bar = document.querySelector("[data-bar]");
    if (bar) observer.observe(bar);
    else document.documentElement.style.removeProperty("--bar-height");
  }

  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && watch());
  watch();
})();
