// An expired login is mended beside the work: the fragment of a 401 goes to #login-beside, the new CSRF token goes
// into every form of the page, and the request that was refused can be sent again.
(() => {
  const AGAIN_MS = 5000;
  let refused = null;
  let sentAgain = 0;

  const beside = () => document.getElementById("login-beside");

  function askForLogin() {
    const url = document.documentElement.dataset.loginUrl;
    if (!beside()?.childElementCount) htmx.ajax("GET", url, { target: "#login-beside", swap: "innerHTML" });
  }

  document.addEventListener("touchstone:login-needed", askForLogin);

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    const staleToken = xhr.status === 403 && xhr.responseText.includes("data-stale-token");
    if (xhr.status !== 401 && !staleToken) return;
    if (!beside().contains(requestConfig.elt)) refused = requestConfig.elt;
    event.detail.isError = false;
    event.detail.shouldSwap = false;
    if (staleToken) {
      askForLogin();
      return;
    }
    event.detail.shouldSwap = true;
    event.detail.target = beside();
    event.detail.swapOverride = "innerHTML";
  });

  document.addEventListener("touchstone:logged-in", (event) => {
    const { token, user } = event.detail;
    if (user !== document.documentElement.dataset.user) {
      location.assign("/");
      return;
    }
    for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
    beside().replaceChildren();
    const form = refused?.closest("form");
    refused = null;
    document.dispatchEvent(new CustomEvent("touchstone:token-fresh"));
    // Once: a browser that keeps no cookie would be refused for ever.
    if (form?.isConnected && Date.now() - sentAgain > AGAIN_MS) {
      sentAgain = Date.now();
      form.requestSubmit();
    } else if (!form) {
      document.querySelector("h1")?.focus();
    }
  });
})();
