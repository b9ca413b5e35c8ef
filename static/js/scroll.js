// Long responses scroll together: each panel gets the height of the screen, and all keep the same share of their way.
// Off at first: then the page scrolls, and panels beside each other move as one anyway.
(() => {
  const NAME = "touchstone.together";
  const panels = () => [...document.querySelectorAll("[data-panel-text]")];
  const toggle = () => document.querySelector("[data-toggle-together]");
  const led = new WeakMap(); // panel → where it was put, so that its own scroll event leads nobody

  function apply(on) {
    document.documentElement.toggleAttribute("data-together", on);
    toggle()?.setAttribute("aria-pressed", String(on));
    for (const panel of panels()) {
      if (on) panel.tabIndex = 0;
      else panel.removeAttribute("tabindex");
    }
  }

  function recall() {
    try {
      return localStorage.getItem(NAME) === "on";
    } catch {
      return false;
    }
  }

  function follow(leader) {
    const way = leader.scrollHeight - leader.clientHeight;
    if (way <= 0) return;
    for (const panel of panels()) {
      if (panel === leader) continue;
      const to = Math.round((leader.scrollTop / way) * (panel.scrollHeight - panel.clientHeight));
      if (Math.abs(panel.scrollTop - to) < 1) continue;
      led.set(panel, to);
      panel.scrollTop = to;
    }
  }

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-toggle-together]");
    if (!pressed) return;
    const on = pressed.getAttribute("aria-pressed") !== "true";
    try {
      localStorage.setItem(NAME, on ? "on" : "off");
    } catch {
      // Not remembered, then.
    }
    apply(on);
  });
  document.addEventListener("scroll", (event) => {
    const panel = event.target;
    if (!(panel instanceof Element) || !panel.matches("[data-together] [data-panel-text]")) return;
    const to = led.get(panel);
    led.delete(panel);
    if (to === undefined || Math.abs(panel.scrollTop - to) > 1) follow(panel);
  }, { capture: true, passive: true });
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && apply(recall()));
  if (toggle()) apply(recall());
})();
