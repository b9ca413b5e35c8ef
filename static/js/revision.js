// A revision starts from the response when the person asks for it, and never over what they wrote.
(() => {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-start-revision]");
    if (!button) return;
    const part = button.closest("[data-revision]");
    const area = part.querySelector("textarea");
    if (!area.value.trim()) {
      area.value = JSON.parse(part.querySelector("script[type='application/json']").textContent);
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.focus();
  });
})();
