// In a field for a key, pressing the key enters its name; Tab, Escape, Enter and the keys that correct do as ever.
(() => {
  const LEFT_ALONE = ["Tab", "Escape", "Enter", "Backspace", "Delete", "Shift", "CapsLock", "Dead", "Process", " "];

  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-press-key]") || LEFT_ALONE.includes(event.key)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    event.target.value = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  });
})();
