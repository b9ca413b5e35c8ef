// A picture opens larger by click, Enter or Space, and closes by Escape or another click.
(() => {
  const PICTURES = ".prose img";

  function prepare() {
    for (const picture of document.querySelectorAll(`${PICTURES}:not([role])`)) {
      picture.setAttribute("role", "button");
      picture.tabIndex = 0;
    }
  }

  function open(picture) {
    const dialog = document.createElement("dialog");
    dialog.className = "lightbox";
    dialog.setAttribute("aria-label", picture.alt);
    const close = document.createElement("button");
    close.type = "button";
    const large = document.createElement("img");
    large.referrerPolicy = "no-referrer";
    large.src = picture.src;
    large.alt = picture.alt;
    close.append(large);
    dialog.append(close);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      picture.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    if (event.target.matches?.(PICTURES) && !event.target.closest("a")) open(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.(PICTURES) || !["Enter", " "].includes(event.key) || event.repeat) return;
    event.preventDefault();
    open(event.target);
  });
  document.addEventListener("htmx:afterSettle", prepare);
  prepare();
})();
