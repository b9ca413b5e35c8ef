// The rows under a marked text: one a mark, with its quote, category, severity, note, and a button that removes it.
(() => {
  const short = (quote, most) => {
    const points = Array.from(quote);
    return points.length > most ? `${points.slice(0, most).join("")}…` : quote;
  };

  function button(className, words, label, hook) {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className, textContent: words });
    made.setAttribute("aria-label", label);
    made.setAttribute(hook, "");
    return made;
  }

  function choice({ words, terms }, span, part, options) {
    const select = document.createElement("select");
    select.className = "input";
    select.dataset.spanPart = part;
    select.setAttribute("aria-label", `${words[part]}: ${short(span.quote, 60)}`);
    const isOffered = options.some(([key]) => key === span[part]);
    if (!isOffered) select.append(new Option(`${words[part]}: ${words.choose}`, ""));
    select.append(...options.map(([key, text]) => new Option(text, key)));
    select.value = isOffered ? span[part] : "";
    return select;
  }

  function note({ words, terms }, span) {
    const input = document.createElement("input");
    Object.assign(input, { type: "text", className: "input", maxLength: terms.note, value: span.note ?? "", placeholder: words.note, dir: "auto" });
    input.dataset.spanPart = "note";
    input.setAttribute("aria-label", `${words.note}: ${short(span.quote, 60)}`);
    return input;
  }

  function rowOf(box, span, at) {
    const { words, terms } = box;
    const row = document.createElement("li");
    row.className = `span-row mark-${window.touchstoneSpans.numberOf(box, span)}`;
    row.dataset.spanRow = at;
    const quote = button("span-quote", short(span.quote, 120), `${words.show}: ${short(span.quote, 120)}`, "data-span-show");
    quote.dir = "auto";
    row.append(quote, button("button button-quiet button-small", words.remove, `${words.remove}: ${short(span.quote, 60)}`, "data-span-drop"));
    if (terms.categories[0][0]) row.append(choice(box, span, "category", terms.categories));
    if (terms.severities.length) row.append(choice(box, span, "severity", terms.severities));
    if (terms.note) row.append(note(box, span));
    return row;
  }

  // The marks that the hidden input holds.
  function read(box) {
    try {
      const spans = JSON.parse(box.value.value || "[]");
      return Array.isArray(spans) ? spans : [];
    } catch {
      return [];
    }
  }

  // A category's place among those offered: its colour and line.
  function numberOf({ terms }, span) {
    return Math.max(0, terms.categories.findIndex(([key]) => key === (span.category ?? "")));
  }

  Object.assign((window.touchstoneSpans ??= {}), { read, rowOf, numberOf, short });
})();
