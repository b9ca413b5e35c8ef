// Keys of one's own: elements that declare a key get the person's in its place, in aria-keyshortcuts and in the hints.
// So everything that reads aria-keyshortcuts (shortcuts.js, screen readers) knows only the keys that work.
(() => {
  const own = new Map(Object.entries(JSON.parse(document.documentElement.dataset.ownKeys || "{}")));
  if (!own.size) return;
  const DECLARING = "[aria-keyshortcuts]:not([data-declared-keys])";

  function rewrite(element) {
    const declared = element.getAttribute("aria-keyshortcuts");
    const keys = declared.split(/\s+/);
    element.dataset.declaredKeys = declared;
    if (!keys.some((key) => own.has(key))) return;
    element.setAttribute("aria-keyshortcuts", keys.map((key) => own.get(key) ?? key).join(" "));
    for (const hint of (element.closest("label") ?? element).querySelectorAll("kbd")) {
      const key = own.get(hint.textContent.trim());
      if (key) hint.textContent = key.replace("Arrow", "");
    }
  }

  function rewriteIn(root) {
    if (root.matches?.(DECLARING)) rewrite(root);
    for (const element of root.querySelectorAll?.(DECLARING) ?? []) rewrite(element);
  }

  new MutationObserver((changes) => {
    for (const change of changes) change.addedNodes.forEach(rewriteIn);
  }).observe(document.documentElement, { childList: true, subtree: true });
  rewriteIn(document);
})();
