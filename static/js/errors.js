// A refused post fills the error slots; the controls they describe say that they are invalid, and nothing else of them
// is touched.  An answer takes its error away.
(() => {
  const described = (slot) => document.querySelectorAll(`[aria-describedby~="${CSS.escape(slot.id).replaceAll("\\.", ".")}"]`);

  function mark(slot) {
    for (const control of described(slot)) {
      if (slot.textContent.trim()) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
    if (slot.textContent.trim()) slot.closest("details")?.setAttribute("open", "");
  }

  document.addEventListener("htmx:oobAfterSwap", (event) => {
    const slot = event.detail.target;
    if (slot?.matches?.("[data-error-slot]")) mark(slot);
  });
  document.addEventListener("change", (event) => {
    const holder = event.target.closest?.("[aria-invalid=true]");
    if (!holder) return;
    for (const id of (holder.getAttribute("aria-describedby") ?? "").split(" ")) {
      const slot = document.getElementById(id);
      if (!slot?.matches("[data-error-slot]")) continue;
      slot.replaceChildren();
      mark(slot);
    }
  });
})();
