// Offsets.  A text is stored in Unicode code points; a textarea counts UTF-16 units and turns CRLF and CR into LF.
(() => {
  function measure(raw) {
    const points = Array.from(raw);
    const toPoint = [];  // UTF-16 place in the textarea → code point of the stored text
    const toUnit = [];  // code point → UTF-16 place
    let units = 0;
    points.forEach((point, at) => {
      toUnit.push(units);
      const isFirstOfCrlf = point === "\r" && points[at + 1] === "\n";
      if (isFirstOfCrlf) return;
      for (let unit = 0; unit < point.length; unit += 1) toPoint.push(point === "\n" && points[at - 1] === "\r" ? at - 1 : at);
      units += point.length;
    });
    toPoint.push(points.length);
    toUnit.push(units);
    return { points, toPoint, toUnit };
  }

  // The selected code points, whole characters only, without space at either end; null when nothing is left.
  function selected(text, from, to) {
    let start = text.toPoint[from];
    let end = text.toPoint[to];
    if (to > from && text.toPoint[to - 1] === end) end += 1;  // the selection ended inside a surrogate pair
    while (start < end && !text.points[start].trim()) start += 1;
    while (end > start && !text.points[end - 1].trim()) end -= 1;
    return end > start ? { start, end, quote: text.points.slice(start, end).join("") } : null;
  }

  // The text cut where marks begin and end, marked pieces as <mark class="mark-N">; the last mark lies on top.
  function pieces({ toUnit }, value, spans, numberOf) {
    const cuts = [...new Set([0, toUnit.at(-1), ...spans.flatMap((span) => [toUnit[span.start], toUnit[span.end]])])];
    cuts.sort((a, b) => a - b);
    const marked = cuts.slice(0, -1).map((from, at) => {
      const words = value.slice(from, cuts[at + 1]);
      const top = spans.findLast((span) => toUnit[span.start] <= from && toUnit[span.end] >= cuts[at + 1]);
      if (!top) return document.createTextNode(words);
      const mark = document.createElement("mark");
      mark.className = `mark-${numberOf(top)}`;
      mark.textContent = words;
      return mark;
    });
    return [...marked, document.createTextNode("\u200b")];  // a last empty line has its height, as in a textarea
  }

  Object.assign((window.touchstoneSpans ??= {}), { measure, selected, pieces });
})();
