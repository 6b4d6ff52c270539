"use strict";

// Everything that needs JavaScript: passkeys, Okta Verify on this computer, asking whether there is news, and controls
// that show what is typed or copy a key.
{
  const form = document.getElementById("sign-in");

  // Creates a passkey or signs with one; the result is what the server reads.
  async function answer(request) {
    const credential = request.rp
      ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(request),
      })
      : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request),
      });
    return credential.toJSON();
  }

  let isBusy = false;

  async function usePasskey(request) {
    if (isBusy) return;
    isBusy = true;
    let result;
    try {
      result = JSON.stringify(await answer(request));
    } catch (error) {
      // The server shows a sentence for any failure.
      result = error.name || "failed";
    }
    form.elements.passkey.value = result;
    form.submit();
  }

  // Lets the browser offer passkeys in the field of the username; it waits until the person chooses one.
  async function offerPasskeys(request) {
    try {
      if (!await PublicKeyCredential.isConditionalMediationAvailable()) return;
      const credential = await navigator.credentials.get({
        mediation: "conditional",
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request),
      });
      form.elements.passkey.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch {
      // This browser has none to offer, and the person can type the username.
    }
  }

  // Requests an address of Okta Verify; the status, or nothing if it does not respond in time.
  async function ask(address, time, options) {
    try {
      const response = await fetch(address, {
        ...options, redirect: "error", credentials: "omit", signal: AbortSignal.timeout(time),
      });
      return response.status;
    } catch {
      return undefined;
    }
  }

  // Passes the challenge to the first address at which Okta Verify responds, and says what came of it.
  async function passChallenge(challenge) {
    for (const address of challenge.addresses) {
      const found = await ask(address + "/probe", challenge.probeTimeout);
      if (!(found >= 200 && found < 300)) continue;
      const status = await ask(address + "/challenge", challenge.answerTimeout, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ challengeRequest: challenge.request }),
      });
      // Another profile of this computer.
      if (status === 503) continue;
      const isTaken = status >= 200 && status < 300;
      return isTaken ? { result: "delivered" } : { result: "refused", status };
    }
    return { result: "unreachable" };
  }

  async function useOktaVerify(challenge) {
    if (isBusy) return;
    isBusy = true;
    form.querySelector("[data-waiting]").hidden = false;
    form.elements.fastpass.value = JSON.stringify(await passChallenge(challenge));
    form.submit();
  }

  // Calls a function in place of the main action, which posts nothing by itself, and shows its button.
  function onMainAction(action) {
    form.querySelector("button.main").hidden = false;
    form.addEventListener("submit", (event) => {
      if (event.submitter?.name) return;
      event.preventDefault();
      action();
    });
    if ("start" in form.dataset) action();
  }

  // Asks whether there is news.
  async function poll(interval) {
    const fields = new URLSearchParams();
    for (const name of ["token", "revision"]) fields.set(name, form.elements[name].value);
    try {
      const response = await fetch("/poll", { method: "POST", body: fields });
      // The page has the news, or why the sign-in cannot continue.
      if (response.status !== 204 && response.status < 500) return location.replace("/sign-in");
    } catch {
      // The network may come back.
    }
    setTimeout(poll, interval, interval);
  }

  // A button after an element and its details, which a browser without JavaScript does not show.
  function addButton(element, text, press) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "small", textContent: text });
    button.addEventListener("click", () => press(button));
    const details = document.getElementById(element.getAttribute("aria-describedby"));
    (details ?? element).after(button);
    return button;
  }

  for (const input of document.querySelectorAll("input[data-show]")) {
    const button = addButton(input, input.dataset.show, () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", !isShown);
    });
    button.setAttribute("aria-pressed", false);
    // There can be two of them on a page.
    button.setAttribute("aria-label", `${input.dataset.show}: ${input.labels[0].textContent}`);
    // What the browser keeps of the text fields of a form must not contain it.
    input.form.addEventListener("submit", () => { input.type = "password"; });
  }

  for (const key of document.querySelectorAll("[data-copy]")) {
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    addButton(key, key.dataset.copy, async () => {
      await navigator.clipboard.writeText(key.textContent.replaceAll(" ", ""));
      status.textContent = key.dataset.copied;
    }).after(status);
  }

  if (form?.dataset.passkey) {
    const request = JSON.parse(form.dataset.passkey);
    onMainAction(() => usePasskey(request));
  }

  if (form?.dataset.autofill) offerPasskeys(JSON.parse(form.dataset.autofill));

  if (form?.dataset.fastpass) {
    const challenge = JSON.parse(form.dataset.fastpass);
    onMainAction(() => useOktaVerify(challenge));
  }

  if (form?.dataset.poll) {
    const interval = Number(form.dataset.poll);
    setTimeout(poll, interval, interval);
  }
}
