// LaTeX that the server marked is set by KaTeX, which is fetched only when there is some.
// KaTeX builds elements and sets their style by CSSOM, which the content security policy allows (ADR 0008); the MathML
// beside it, for screen readers, is parsed without its style attributes.  What fails stays as its source.
(() => {
  const { katex: SCRIPT, katexStyle: STYLE } = document.currentScript.dataset;
  const LIMITS = { trust: false, throwOnError: true, strict: "ignore", maxSize: 20, maxExpand: 500 };
  const MOST_MS = 12; // of one frame, so that keys stay quick on a page full of formulas
  let loading;

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
      const script = Object.assign(document.createElement("script"), { src: SCRIPT, onload: resolve, onerror: reject });
      document.head.append(style, script);
    });
    return loading;
  }

  function inside(source) {
    const long = source.startsWith("$$") || source.startsWith("\\");
    return long ? source.slice(2, -2) : source.slice(1, -1);
  }

  function spoken(tex, options) {
    const page = new DOMParser().parseFromString(katex.renderToString(tex, { ...options, output: "mathml" }), "text/html");
    const maths = page.querySelector("math");
    for (const element of maths.querySelectorAll("[style]")) element.removeAttribute("style");
    const holder = document.createElement("span");
    holder.className = "katex-mathml";
    holder.append(document.adoptNode(maths));
    return holder;
  }

  function set(element) {
    const source = element.textContent;
    const options = { ...LIMITS, displayMode: element.dataset.math === "block", macros: {} };
    const formula = document.createElement("span");
    try {
      katex.render(inside(source), formula, { ...options, output: "html" });
      formula.querySelector(".katex").prepend(spoken(inside(source), options));
      element.replaceChildren(formula);
      element.dataset.mathSet = "";
    } catch {
      element.dataset.mathSet = "failed";
    }
  }

  async function setAll() {
    const waiting = [...document.querySelectorAll("[data-math]:not([data-math-set])")];
    if (!waiting.length) return;
    try {
      await load();
    } catch {
      return; // The source is readable.
    }
    let until = performance.now() + MOST_MS;
    for (const element of waiting) {
      if (performance.now() > until) {
        await new Promise(requestAnimationFrame);
        until = performance.now() + MOST_MS;
      }
      if (element.isConnected && !("mathSet" in element.dataset)) set(element);
    }
  }

  document.addEventListener("htmx:afterSettle", setAll);
  setAll();
})();
