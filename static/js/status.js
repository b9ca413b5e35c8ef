// What is said aloud and shown for a moment: other files dispatch "touchstone:say", the server fills #status by OOB.
(() => {
  const SHOWN_MS = 7000;
  let clearing = 0;

  const region = () => document.getElementById("status");

  function later() {
    clearTimeout(clearing);
    clearing = setTimeout(() => region()?.replaceChildren(), SHOWN_MS);
  }

  document.addEventListener("touchstone:say", (event) => {
    region()?.replaceChildren(event.detail.text);
    later();
  });
  document.addEventListener("htmx:oobAfterSwap", (event) => {
    if (event.detail.target?.id === "status") later();
  });
})();
