// A text that is selected and never changed.  Read-only by hand: a readonly textarea has no caret in Chromium, and so no
// selection by keyboard.  What an input method slips in (its composition cannot be refused) is taken back.
(() => {
  const isSource = (event) => event.target.matches?.("[data-span-text]");
  let selection = null;

  document.addEventListener("beforeinput", (event) => {
    if (!isSource(event)) return;
    if (event.cancelable) event.preventDefault();
    else selection ??= [event.target.selectionStart, event.target.selectionEnd];
  });
  document.addEventListener("drop", (event) => isSource(event) && event.preventDefault());
  for (const name of ["input", "compositionend"]) {
    document.addEventListener(name, (event) => {
      if (!isSource(event) || event.isComposing) return;
      event.target.value = event.target.defaultValue;
      if (selection) event.target.setSelectionRange(...selection);
      selection = null;
    });
  }
  // A button must not take the focus, and with it the selection, from the text.
  for (const name of ["pointerdown", "mousedown"]) {
    document.addEventListener(name, (event) => event.target.closest?.(".span-tools button") && event.preventDefault());
  }
})();
