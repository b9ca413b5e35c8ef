// Marks on a text: select, press a mark's key or button.  The hidden input holds them as JSON; rows below say what each is.
// Without a selection, keys act on the mark at the caret, or on the row that has the focus.
(() => {
  const boxes = new WeakMap();
  const { measure, selected, pieces, read, rowOf, numberOf, short } = window.touchstoneSpans;
  const say = (text) => document.dispatchEvent(new CustomEvent("touchstone:say", { detail: { text } }));
  const boxOf = (element) => boxes.get(element?.closest?.("[data-spans]"));
  const rowAt = (box, at) => box.list.querySelector(`[data-span-row="${at}"]`);

  function write(box, spans) {
    spans.sort((a, b) => a.start - b.start || a.end - b.end);
    box.value.value = spans.length ? JSON.stringify(spans) : "";
    const none = box.root.closest(".critique").querySelector("[data-nothing]");
    if (none && spans.length) none.checked = false;
    box.value.dispatchEvent(new Event("input", { bubbles: true }));
    draw(box, spans);
  }

  function draw(box, spans = read(box)) {
    box.under.replaceChildren(...pieces(box.text, box.shown, spans, (span) => numberOf(box, span)));
    box.list.replaceChildren(...spans.map((span, at) => rowOf(box, span, at)));
    box.restore.hidden = !box.removed.length;
  }

  // Changed where it stands, so that the control that has the focus keeps it.
  function change(box, at, part, value) {
    const spans = read(box);
    if (value) spans[at][part] = value;
    else delete spans[at][part];
    box.value.value = JSON.stringify(spans);
    box.value.dispatchEvent(new Event("input", { bubbles: true }));
    if (part === "note") return;
    const control = rowAt(box, at).querySelector(`[data-span-part=${part}]`);
    if (control) control.value = value;
    rowAt(box, at).className = `span-row mark-${numberOf(box, spans[at])}`;
    box.under.replaceChildren(...pieces(box.text, box.shown, spans, (span) => numberOf(box, span)));
  }

  function remove(box, at) {
    const fromRow = rowAt(box, at).contains(document.activeElement);
    const spans = read(box);
    const gone = spans.splice(at, 1);
    box.removed.push(gone);
    write(box, spans);
    say(`${box.words.removed}: ${short(gone[0].quote, 60)}`);
    const next = fromRow && spans.length ? rowAt(box, Math.min(at, spans.length - 1)).querySelector("[data-span-drop]") : box.area;
    next.focus({ preventScroll: !fromRow });
  }

  function restore(box) {
    const back = box.removed.pop();
    if (!back) return;
    const spans = read(box);
    write(box, [...spans, ...back.filter((one) => !spans.some((span) => span.start === one.start && span.end === one.end))]);
    say(`${box.words.restored}: ${back.map((span) => short(span.quote, 40)).join(", ")}`);
    box.area.focus({ preventScroll: true });
  }

  function mark(box, key) {
    const words = box.terms.categories.find(([known]) => known === key)[1];
    const found = selected(box.text, box.area.selectionStart, box.area.selectionEnd);
    const spans = read(box);
    const same = found ? spans.findIndex((span) => span.start === found.start && span.end === found.end) : current(box);
    if (!found && (same < 0 || !key)) return say(box.words.none);
    if (same >= 0) {
      change(box, same, "category", key);
      return say(`${box.words.changed}: ${words}, ${short(spans[same].quote, 60)}`);
    }
    box.latest = found.start;
    write(box, [...spans, key ? { ...found, category: key } : found]);
    box.area.focus({ preventScroll: true });
    box.area.setSelectionRange(box.text.toUnit[found.end], box.text.toUnit[found.end]);
    return say(`${box.words.marked}: ${words}, ${short(found.quote, 60)}`);
  }

  // The mark whose row has the focus, else the innermost at the caret (just behind it too), else the one made last.
  function current(box) {
    const row = document.activeElement?.closest?.("[data-span-row]");
    if (row && box.list.contains(row)) return Number(row.dataset.spanRow);
    const point = box.text.toPoint[box.area.selectionStart];
    const spans = read(box);
    const here = spans.findLastIndex((span) => span.start <= point && point <= span.end);
    return here >= 0 ? here : spans.findIndex((span) => span.start === box.latest);
  }

  function nextSeverity(box, at) {
    if (at < 0) return say(box.words.none);
    const keys = box.terms.severities.map(([key]) => key);
    const place = (keys.indexOf(read(box)[at].severity) + 1) % keys.length;
    change(box, at, "severity", keys[place]);
    return say(`${box.terms.severities[place][1]}: ${short(read(box)[at].quote, 60)}`);
  }

  function show(box, at) {
    const span = read(box)[at];
    box.area.focus();
    box.area.setSelectionRange(box.text.toUnit[span.start], box.text.toUnit[span.end]);
  }

  const COMMANDS = {
    "[data-span-mark]": (box, button) => mark(box, button.dataset.spanMark),
    "[data-span-severity]": (box) => nextSeverity(box, current(box)),
    "[data-span-remove]": (box) => (current(box) < 0 ? say(box.words.none) : remove(box, current(box))),
    "[data-span-restore]": (box) => restore(box),
    "[data-span-drop]": (box, button) => remove(box, Number(button.parentElement.dataset.spanRow)),
    "[data-span-show]": (box, button) => show(box, Number(button.parentElement.dataset.spanRow)),
  };
  const partOf = (event) => [boxOf(event.target), event.target.closest?.("[data-span-row]"), event.target.dataset?.spanPart];

  document.addEventListener("click", (event) => {
    const box = boxOf(event.target);
    const [, run] = (box && Object.entries(COMMANDS).find(([selector]) => event.target.closest(selector))) ?? [];
    if (run) run(box, event.target.closest("button"));
  });
  document.addEventListener("input", (event) => {
    const [box, row, part] = partOf(event);
    if (box && row && part) change(box, Number(row.dataset.spanRow), part, event.target.value);
  });
  document.addEventListener("keydown", (event) => {
    const [box, row, part] = partOf(event);
    if (event.key !== "Delete" || !box || !row || part === "note") return;
    event.preventDefault();
    remove(box, Number(row.dataset.spanRow));
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches?.("[data-nothing]") || !event.target.checked) return;
    const box = boxOf(event.target.closest(".critique").querySelector("[data-spans]"));
    const gone = read(box);
    if (gone.length) box.removed.push(gone);
    write(box, []);
  });

  function open(root) {
    const [raw, terms] = [...root.querySelectorAll("script[type='application/json']")].map((data) => JSON.parse(data.textContent));
    const part = (name) => root.querySelector(`[data-span-${name}]`);
    const box = { root, terms, text: measure(raw), area: part("text"), under: part("under"), list: part("list"), restore: part("restore"), value: root.querySelector("[data-spans-value]"), words: part("words").dataset, removed: [] };
    box.area.defaultValue = raw; // what source_view.js puts back
    box.area.value = raw;
    box.shown = box.area.value;
    boxes.set(root, box);
    draw(box);
  }

  const arrive = () => document.querySelectorAll("#task [data-spans]").forEach(open);
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  document.addEventListener("touchstone:restored", arrive);
  arrive();
})();
