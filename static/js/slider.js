// A slider fills the number beside it, which is the answer; until one of them is touched there is none.
// Digits go to the current row's number, and Enter there goes on to the next row without an answer, if there is one.
(() => {
  const NAVIGATING = ["Home", "End", "PageUp", "PageDown", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  const TYPING = "input:not([type=range], [type=radio]), textarea, select, dialog, [contenteditable]";
  const sliders = () => document.querySelectorAll("#task [data-slider]");
  const holding = (element) => element?.querySelector("[data-slider]");
  const parts = (slider) => ({ range: slider.querySelector("[data-slider-range]"), number: slider.querySelector("[data-slider-number]") });
  const partsOf = (element) => {
    const slider = element.closest?.("[data-slider]");
    return slider && parts(slider);
  };

  function follow({ range, number }) {
    const untouched = number.value === "";
    range.toggleAttribute("data-untouched", untouched);
    if (untouched) range.setAttribute("aria-valuetext", range.dataset.unset);
    else range.removeAttribute("aria-valuetext");
    range.value = untouched ? range.min : number.value;
  }

  function fill(number, value) {
    number.value = value;
    number.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // A range that stands at its low end says nothing when it is asked to go there: it is touched all the same.
  function touch(event) {
    const found = partsOf(event.target);
    if (found && event.target === found.range && found.number.value === "") fill(found.number, found.range.value);
  }

  document.addEventListener("input", (event) => {
    const found = partsOf(event.target);
    if (!found) return;
    if (event.target === found.range) return fill(found.number, found.range.value);
    const na = event.target.closest("[data-row]").querySelector("input[type=radio]:checked");
    if (na && found.number.value) na.checked = false;
    return follow(found);
  });
  document.addEventListener("change", (event) => {
    const slider = event.target.type === "radio" && holding(event.target.closest("[data-row]"));
    if (!slider) return;
    parts(slider).number.value = "";
    follow(parts(slider));
  });
  document.addEventListener("click", touch);
  document.addEventListener("keyup", (event) => NAVIGATING.includes(event.key) && touch(event));

  document.addEventListener("keydown", (event) => {
    if (!/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPING)) return;
    const isOff = document.documentElement.dataset.shortcuts === "off" || document.querySelector("dialog[open]");
    const own = event.target.closest?.("[data-row]");
    const slider = holding(own ?? (isOff ? null : document.querySelector("#task [data-row][data-current]")));
    if (!slider) return;
    event.preventDefault();
    const { number } = parts(slider);
    number.focus();
    fill(number, event.key);
  }, { capture: true });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !event.target.matches?.("[data-slider-number]")) return;
    event.target.dispatchEvent(new CustomEvent("touchstone:key", { bubbles: true }));
    if (document.activeElement !== event.target) event.preventDefault();
  });

  const arrive = () => sliders().forEach((slider) => follow(parts(slider)));
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "task" && arrive());
  document.addEventListener("touchstone:restored", arrive);
  arrive();
})();
