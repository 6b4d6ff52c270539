"use strict";

// Everything that needs JavaScript: passkeys, Okta Verify on this computer, and asking whether there is news.
{
  const form = document.querySelector("form");

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

  // Calls a function in place of the main action, which posts nothing by itself.
  function onMainAction(action) {
    form.addEventListener("submit", (event) => {
      if (event.submitter?.name) return;
      event.preventDefault();
      action();
    });
    if ("start" in form.dataset) action();
  }

  // Shows the page with the news, which only this response contains.
  function show(page) {
    document.open();
    document.write(page);
    document.close();
  }

  // Asks whether there is news.
  async function poll(interval) {
    const fields = new URLSearchParams();
    for (const name of ["token", "revision"]) fields.set(name, form.elements[name].value);
    try {
      const response = await fetch("/poll", { method: "POST", body: fields });
      if (response.redirected) return location.replace(response.url);
      if (response.status !== 204 && response.status < 500) return show(await response.text());
    } catch {
      // The network may come back.
    }
    setTimeout(poll, interval, interval);
  }

  if (form?.dataset.passkey) {
    const request = JSON.parse(form.dataset.passkey);
    onMainAction(() => usePasskey(request));
  }

  if (form?.dataset.fastpass) {
    const challenge = JSON.parse(form.dataset.fastpass);
    onMainAction(() => useOktaVerify(challenge));
  }

  if (form?.dataset.poll) {
    const interval = Number(form.dataset.poll);
    setTimeout(poll, interval, interval);
  }
}
