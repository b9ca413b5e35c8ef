// Dialogs open and close by the buttons that name them; a menu closes when one leaves it.
(() => {
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
      menu.querySelector("summary").focus();
    }
  });
})();
