// A ranking is radios, one group a response.  Buttons, keys and dragging only check them; the rows follow their places,
// and what has no place yet stands below.  Nothing has a place until somebody gives it one.
(() => {
  const rankings = () => document.querySelectorAll("#task [data-ranking]");
  const rowsOf = (ranking) => [...ranking.querySelectorAll("[data-rank-row]")];
  const checkedOf = (row) => row?.querySelector("input:checked");
  const placeOf = (row) => Number(checkedOf(row)?.value ?? Infinity);
  const letterOf = (row) => row.dataset.letter;
  const areTied = (row, other) => Boolean(checkedOf(row) && checkedOf(other) && placeOf(row) === placeOf(other));

  function say(ranking, name, values = {}) {
    const words = ranking.querySelector("[data-rank-words]").dataset[name];
    const text = Object.entries(values).reduce((told, [mark, value]) => told.replace(mark, value), words);
    document.dispatchEvent(new CustomEvent("touchstone:say", { detail: { text } }));
  }

  // Rows of one place keep the order they stand in: the one above is who a row ties with.
  function sort(ranking) {
    const list = ranking.querySelector("[data-rank-list]");
    const beside = (a, b) => (checkedOf(a) ? 0 : letterOf(a).localeCompare(letterOf(b)));
    const wanted = rowsOf(ranking).sort((a, b) => placeOf(a) - placeOf(b) || beside(a, b));
    const focused = document.activeElement;
    if (wanted.some((row, at) => row !== list.children[at])) list.append(...wanted);
    if (list.contains(focused) && document.activeElement !== focused) focused.focus({ preventScroll: true });
    wanted.forEach((row, at) => {
      row.toggleAttribute("data-placed", Boolean(checkedOf(row)));
      row.toggleAttribute("data-tied", areTied(row, wanted[at - 1]));
      const tie = row.querySelector("[data-rank-tie]");
      tie?.setAttribute("aria-pressed", String(row.hasAttribute("data-tied")));
      tie?.setAttribute("aria-disabled", String(!checkedOf(wanted[at - 1])));
    });
  }

  const groupsOf = (ranking, without) => {
    const placed = rowsOf(ranking).filter((row) => row !== without && checkedOf(row));
    const places = [...new Set(placed.map(placeOf))].sort((a, b) => a - b);
    return places.map((place) => placed.filter((row) => placeOf(row) === place));
  };

  function give(groups, moved) {
    groups.filter((group) => group.length).forEach((group, at) => {
      for (const row of group) row.querySelector(`input[value="${at + 1}"]`).checked = true;
    });
    checkedOf(moved).dispatchEvent(new Event("change", { bubbles: true }));
  }

  function insert(ranking, row, at) {
    const groups = groupsOf(ranking, row);
    groups.splice(at, 0, [row]);
    give(groups, row);
  }

  // Out of a tie first, then past the neighbour; what has no place yet joins at the end.
  function move(ranking, row, by) {
    const all = groupsOf(ranking);
    const at = all.findIndex((group) => group.includes(row));
    if (at < 0) return insert(ranking, row, all.length);
    const others = groupsOf(ranking, row).length;
    const target = all[at].length > 1 ? at + (by > 0 ? 1 : 0) : at + by;
    return insert(ranking, row, Math.min(Math.max(target, 0), others));
  }

  // Who is equal to the one above brings those along who are equal to it; pressed again, they part where they met.
  function tie(ranking, row) {
    const above = row.previousElementSibling;
    if (!checkedOf(above)) return say(ranking, "alone", { "%l": letterOf(row) });
    const groups = groupsOf(ranking);
    const at = groups.findIndex((group) => group.includes(above));
    if (areTied(row, above)) {
      const from = groups[at].indexOf(row);
      groups.splice(at, 1, groups[at].slice(0, from), groups[at].slice(from));
    } else {
      const below = groups[at + 1]?.includes(row) ? groups.splice(at + 1, 1)[0] : [row];
      groups[at].push(...below);
    }
    return give(groups, row);
  }

  function tell(ranking, row) {
    const equals = rowsOf(ranking).filter((other) => other !== row && areTied(other, row)).map(letterOf).join(", ");
    say(ranking, equals ? "tied" : "placed", { "%l": letterOf(row), "%n": placeOf(row), "%o": equals });
  }

  document.addEventListener("change", (event) => {
    const ranking = event.target.closest?.("[data-ranking]");
    if (!ranking) return;
    const none = ranking.querySelector("[data-rank-none]");
    if (event.target === none) {
      if (!none.checked) return;
      for (const input of ranking.querySelectorAll("[data-rank-row] input:checked")) input.checked = false;
      sort(ranking);
      say(ranking, "cleared");
      return;
    }
    if (none) none.checked = false;
    const row = event.target.closest("[data-rank-row]");
    const clash = rowsOf(ranking).some((other) => other !== row && areTied(other, row));
    if (clash && !ranking.hasAttribute("data-ties")) {
      insert(ranking, row, groupsOf(ranking, row).filter((group) => placeOf(group[0]) < placeOf(row)).length);
      return;
    }
    sort(ranking);
    tell(ranking, row);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rank-move], [data-rank-tie]");
    const row = button?.closest("[data-rank-row]");
    if (!row) return;
    if (button.dataset.rankMove) move(row.closest("[data-ranking]"), row, Number(button.dataset.rankMove));
    else tie(row.closest("[data-ranking]"), row);
  });

  // Dragging by the grip, with a mouse, a pen or a finger.
  document.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest?.("[data-rank-grip]");
    if (!grip || event.button) return;
    event.preventDefault();
    const row = grip.closest("[data-rank-row]");
    const ranking = row.closest("[data-ranking]");
    row.setAttribute("data-dragged", "");
    const over = (y) => rowsOf(ranking).filter((other) => {
      const box = other.getBoundingClientRect();
      return other !== row && box.top + box.height / 2 < y;
    });
    const follow = (moved) => {
      const last = over(moved.clientY).at(-1);
      if (last) last.after(row);
      else row.parentElement.prepend(row);
    };
    const ended = new AbortController();  // on the document: a row that moves in the page loses every capture
    const drop = (dropped) => {
      ended.abort();
      row.removeAttribute("data-dragged");
      if (dropped.type === "pointercancel") return sort(ranking);
      return insert(ranking, row, new Set(over(dropped.clientY).filter(checkedOf).map(placeOf)).size);
    };
    document.addEventListener("pointermove", follow, { signal: ended.signal });
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, drop, { signal: ended.signal });
  });

  const arrive = () => rankings().forEach(sort);
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  document.addEventListener("touchstone:restored", arrive);
  arrive();
})();
