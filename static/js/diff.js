// Word-level differences between two responses: what only the first has is <del>, what only the second has is <ins>.
// On demand; compared as written, spaces aside, by Myers' algorithm in linear space (Algorithmica 1, 1986).
(() => {
  const MOST_BYTES = 40 * 1024;
  const MOST_EDITS = 1000; // Beyond, texts have little in common: then a good path is taken instead of the shortest.
  const task = () => document.getElementById("task") ?? document.querySelector(".task-body");
  const button = () => task()?.querySelector("[data-toggle-diff]");
  const isOn = () => button()?.getAttribute("aria-pressed") === "true";
  const panel = (letter) => task().querySelector(`[data-panel="${CSS.escape(letter)}"]`);
  const written = (at) => at.querySelector("[data-panel-text] [data-written]")?.textContent ?? "";

  // Words with the spaces after them; scripts without spaces are cut where their words end.
  function words(text) {
    const found = [];
    const parts = Intl.Segmenter
      ? Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (part) => part.segment)
      : text.match(/\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? [];
    for (const part of parts) {
      if (part.trim() || !found.length) found.push(part);
      else found[found.length - 1] += part;
    }
    return found;
  }

  function furthest(mine, zero, d, n, m) {
    let best = [0, 0];
    for (let k = -d; k <= d; k += 2) {
      const x = mine[zero + k], y = x - k;
      if (x <= n && y <= m && x + y > best[0] + best[1]) best = [x, y];
    }
    return [...best, ...best];
  }

  // The middle of a shortest edit path between a[a0..a1) and b[b0..b1): a run of equal words, perhaps empty, from
  // (x, y) to (u, v).  Walks from both ends at once until they meet.
  function middle(a, a0, a1, b, b0, b1) {
    const n = a1 - a0, m = b1 - b0, delta = n - m, most = Math.ceil((n + m) / 2), zero = most + 1;
    const ends = [new Int32Array(2 * zero + 1), new Int32Array(2 * zero + 1)];
    for (let d = 0; d <= most; d++) {
      if (d > MOST_EDITS) return furthest(ends[0], zero, d - 1, n, m).map((at, which) => at + (which % 2 ? b0 : a0));
      for (let back = 0; back < 2; back++) {
        const mine = ends[back], other = ends[1 - back], near = back ? d : d - 1;
        const meets = (delta % 2 === 0) === (back === 1);
        for (let k = -d; k <= d; k += 2) {
          const less = mine[zero + k - 1], more = mine[zero + k + 1];
          let x = k === -d || (k !== d && less < more) ? more : less + 1;
          const from = x;
          if (back) while (x < n && x - k < m && a[a1 - 1 - x] === b[b1 - 1 - x + k]) x++;
          else while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x++;
          mine[zero + k] = x;
          const mirror = delta - k;
          if (!meets || mirror < -near || mirror > near || x + other[zero + mirror] < n) continue;
          return back ? [a1 - x, b1 - x + k, a1 - from, b1 - from + k] : [a0 + from, b0 + from - k, a0 + x, b0 + x - k];
        }
      }
    }
    return null;
  }

  // Marks in onlyA and onlyB the places that have no partner.
  function compare(a, a0, a1, b, b0, b1, onlyA, onlyB) {
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) a0++, b0++;
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) a1--, b1--;
    if (a0 === a1 || b0 === b1) {
      onlyA.fill(1, a0, a1);
      onlyB.fill(1, b0, b1);
      return;
    }
    const [x, y, u, v] = middle(a, a0, a1, b, b0, b1);
    compare(a, a0, x, b, b0, y, onlyA, onlyB);
    compare(a, u, a1, b, v, b1, onlyA, onlyB);
  }

  function show(at, name, found, only) {
    const view = document.createElement("div");
    view.className = "source source-diff";
    view.dir = "auto";
    view.dataset.diffView = "";
    for (let from = 0, to; from < found.length; from = to) {
      for (to = from + 1; to < found.length && only[to] === only[from]; to++);
      const text = found.slice(from, to).join("");
      view.append(only[from] ? Object.assign(document.createElement(name), { textContent: text }) : text);
    }
    at.querySelector("[data-panel-text]").append(view);
    at.dataset.compared = "";
  }

  function clear() {
    for (const view of task().querySelectorAll("[data-diff-view]")) view.remove();
    for (const at of task().querySelectorAll("[data-compared]")) delete at.dataset.compared;
  }

  function pair() {
    const chosen = task().querySelector("[data-diff-pair]");
    if (!chosen) return [...task().querySelectorAll("[data-panel]")];
    return ["first", "second"].map((which) => panel(chosen.querySelector(`[data-diff-${which}]`).value));
  }

  function draw() {
    clear();
    const [first, second] = pair();
    const texts = [written(first), written(second)];
    const refused = texts.some((text) => new Blob([text]).size > MOST_BYTES);
    task().querySelector("[data-diff-refused]").hidden = !refused;
    task().querySelector("[data-diff-legend]").hidden = refused;
    task().querySelectorAll("[data-diff-name]").forEach((at, which) => (at.textContent = [first, second][which].dataset.panel));
    if (refused || first === second) return;
    const [a, b] = texts.map(words);
    const numbers = new Map(); // comparing numbers is much faster than comparing words
    const number = (word) => numbers.get(word) ?? numbers.set(word, numbers.size).get(word);
    const [keysA, keysB] = [a, b].map((found) => Int32Array.from(found, (word) => number(word.trim())));
    const onlyA = new Uint8Array(a.length), onlyB = new Uint8Array(b.length);
    compare(keysA, 0, a.length, keysB, 0, b.length, onlyA, onlyB);
    show(first, "del", a, onlyA);
    show(second, "ins", b, onlyB);
  }

  // With more than two, the panel where one is comes first; else A.
  function begin() {
    const chosen = task().querySelector("[data-diff-pair]");
    const here = document.activeElement?.closest("[data-panel]")?.dataset.panel;
    if (!chosen || !here) return;
    const [first, second] = chosen.querySelectorAll("select");
    if (second.value === here) second.value = first.value;
    first.value = here;
  }

  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-toggle-diff]");
    if (!toggle) return;
    const on = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(on));
    task().querySelector("[data-diff-words]").hidden = !on;
    if (on) begin();
    if (on) draw();
    else clear();
  });
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-diff-pair]") && isOn()) draw();
  });
})();
