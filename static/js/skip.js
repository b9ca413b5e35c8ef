// A task on which nothing was answered or typed is skipped at once (it can be undone); else one is asked, with a reason.
(() => {
  function hasAnswer() {
    const form = document.getElementById("answer");
    return [...new FormData(form)].some(([name, value]) => name.startsWith("q.") && value !== "" && value !== "[]");
  }

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-skip]");
    if (!opener || opener.parentElement.open || hasAnswer()) return;
    event.preventDefault();
    opener.parentElement.querySelector("form").requestSubmit();
  });
})();
