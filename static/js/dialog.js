// Dialogs open and close by the buttons that name them; a menu closes when one leaves it.  Escape leads back to where one
// was when the menu was opened: who opened it by its key goes on where they were.
(() => {
  let before = null;

  document.addEventListener("click", (event) => {
    const summary = event.target.closest("details[data-menu]:not([open]) > summary");
    if (summary) before = document.activeElement === document.body ? document.querySelector("#task [data-autofocus]") : document.activeElement;
  }, { capture: true });
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-dialog]");
    if (opener && opener.dataset.openDialog !== "shortcut-list") {
      document.getElementById(opener.dataset.openDialog)?.showModal();
    }
    event.target.closest("[data-close-dialog]")?.closest("dialog")?.close();
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      const chose = event.target.closest("a, button") && menu.contains(event.target);
      if (chose || !menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      menu.open = false;
      (before?.isConnected ? before : menu.querySelector("summary")).focus({ preventScroll: true });
    }
  });
})();
