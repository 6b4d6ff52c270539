"use strict";

// What needs JavaScript on any page: asking whether there is news, what a page does while it waits for the server, and
// controls that show what is typed or copy a key. Passkeys, Okta Verify and the rules of a new password have scripts of
// their own, which use the functions at the top.

// A line for screen readers and for people who wait.
function addStatus(parent, className) {
  const line = document.createElement("p");
  line.className = className;
  line.setAttribute("role", "status");
  parent.append(line);
  return line;
}

// Calls a function in place of the main action, which posts nothing by itself, and shows its button. Meanwhile the page
// says that the browser or Okta Verify asks, which can be behind other windows.
function doMainAction(action) {
  const form = document.getElementById("sign-in");
  const button = form.querySelector("button.main");
  let isAsking = false;
  const start = () => {
    if (isAsking) return;
    isAsking = true;
    button.hidden = true;
    form.querySelector(".waiting").hidden = false;
    form.setAttribute("aria-busy", "true");
    action();
  };
  button.hidden = false;
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name) return;
    event.preventDefault();
    start();
  });
  if ("start" in form.dataset) start();
}

{
  const form = document.getElementById("sign-in");

  // MARK: While the server works

  let isBusy = false;

  // Shows that a form was sent; its buttons do nothing until the next page.
  function showBusy(sent, button) {
    isBusy = true;
    sent.setAttribute("aria-busy", "true");
    button?.classList.add("pressed");
    for (const other of document.querySelectorAll("button")) other.setAttribute("aria-disabled", "true");
    const line = addStatus(sent, "busy");
    // At once, a reader would not notice that the line is new.
    setTimeout(() => { line.textContent = document.body.dataset.busy; }, 400);
  }

  // A page that the browser kept can be used again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    // A passkey or Okta Verify was asked already.
    if (document.querySelector(".waiting[role]:not([hidden])")) return location.reload();
    isBusy = false;
    for (const sent of document.querySelectorAll("form[aria-busy]")) sent.removeAttribute("aria-busy");
    for (const line of document.querySelectorAll("p.busy[role]")) line.remove();
    for (const button of document.querySelectorAll("button")) {
      button.removeAttribute("aria-disabled");
      button.classList.remove("pressed");
    }
  });

  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (isBusy) return event.preventDefault();
    showBusy(event.target, event.submitter);
  });

  // MARK: News

  async function poll(interval) {
    const fields = new URLSearchParams();
    for (const name of ["token", "revision"]) fields.set(name, form.elements[name].value);
    try {
      const response = await fetch("/poll", { method: "POST", body: fields });
      // The page has the news, or why the sign-in cannot continue.
      if (response.status !== 204 && response.status < 500 && !isBusy) return location.replace("/sign-in");
    } catch {
      // The network may come back.
    }
    setTimeout(poll, interval, interval);
  }

  // Loads a page that shows what happens elsewhere again, but only if there is something new.
  async function watch(interval) {
    let shown;
    while (true) {
      const page = await fetch(location.href).then((response) => response.text(), () => shown);
      if (shown !== undefined && page !== shown) return location.reload();
      shown = page;
      await new Promise((done) => setTimeout(done, interval));
    }
  }

  if (!form && document.body.dataset.reload) watch(Number(document.body.dataset.reload) * 1000);

  // MARK: Controls that a browser without JavaScript does not show

  function addButton(element, text, name, press) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "small", textContent: text });
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => press(button));
    element.after(button);
    return button;
  }

  for (const input of document.querySelectorAll("input[data-show]")) {
    const button = addButton(input, input.dataset.show, input.dataset.showName, () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", !isShown);
    });
    button.setAttribute("aria-pressed", false);
    // What the browser keeps of the text fields of a form must not contain it.
    input.form.addEventListener("submit", () => { input.type = "password"; });
  }

  for (const key of document.querySelectorAll("[data-copy]")) {
    const line = addStatus(key.parentElement.parentElement, "hint");
    addButton(key, key.dataset.copy, key.dataset.copyName, async () => {
      await navigator.clipboard.writeText(key.textContent.replaceAll(" ", ""));
      line.textContent = key.dataset.copied;
    });
  }

  // Says which field is empty in the words of the page.
  for (const input of document.querySelectorAll("input[data-missing]")) {
    input.addEventListener("invalid", () => {
      if (input.validity.valueMissing) input.setCustomValidity(input.dataset.missing);
    });
    input.addEventListener("input", () => input.setCustomValidity(""));
  }

  // MARK: The page

  if (form?.dataset.poll) {
    const interval = Number(form.dataset.poll);
    setTimeout(poll, interval, interval);
  }
}
