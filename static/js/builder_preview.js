// The preview stands in a frame, so that it is laid out for its own width: it takes the screen that the server sends
// beside every check, is scaled to the room there is, and sends along what was tried in it.
(() => {
  const frame = () => document.querySelector("[data-frame]");
  const inner = () => frame()?.contentDocument;
  let isTry = false;

  function answers() {
    const answer = inner()?.getElementById("answer");
    return answer ? [...new FormData(answer)].filter(([name]) => name.startsWith("q.")) : [];
  }

  function hideAsIn(screen) {
    for (const question of inner().querySelectorAll("[data-question]")) {
      question.hidden = screen.querySelector(`[data-question="${question.dataset.question}"]`)?.hidden ?? false;
    }
  }

  // What was tried while the new screen was on its way.
  function restore(held) {
    for (const [name, value] of held) {
      for (const control of inner().getElementsByName(name)) {
        if (!["radio", "checkbox"].includes(control.type)) control.value = value;
        else if (control.value === value) control.checked = true;
      }
    }
  }

  function swap(task, html) {
    const held = answers();
    frame().contentWindow.htmx.swap(task, html, { swapStyle: "outerHTML" });
    restore(held);
  }

  function show() {
    const source = document.querySelector("#screen-source [data-screen]");
    const task = inner()?.getElementById("task");
    if (!source || !task) return;
    if (isTry) hideAsIn(source.content);
    else swap(task, source.innerHTML);
    isTry = false;
    source.remove();
  }

  function fit() {
    const box = document.querySelector("[data-frame-box]");
    if (!box) return;
    const width = Number(document.querySelector("[data-width][aria-pressed=true]").dataset.width);
    const scale = Math.min(1, box.clientWidth / width);
    box.style.setProperty("--frame-width", `${width}px`);
    box.style.setProperty("--frame-scale", scale);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-width]");
    if (!button) return;
    for (const one of document.querySelectorAll("[data-width]")) one.setAttribute("aria-pressed", String(one === button));
    fit();
  });
  document.addEventListener("htmx:configRequest", (event) => {
    if (!event.detail.path.endsWith("/questions/draft/")) return;
    isTry = event.detail.triggeringEvent?.type === "touchstone:tried";
    for (const [name, value] of answers()) event.detail.formData.append(name, value);
  });
  document.addEventListener("htmx:oobAfterSwap", (event) => event.detail.target?.id === "screen-source" && show());
  document.addEventListener("touchstone:tried-inside", () => {
    document.querySelector("[data-builder]")?.dispatchEvent(new CustomEvent("touchstone:tried"));
  });
  frame()?.addEventListener("load", show);
  const box = document.querySelector("[data-frame-box]");
  if (box) new ResizeObserver(fit).observe(box);
  if (box && box.clientWidth < 480) document.querySelector("[data-width='390']").click();
})();
