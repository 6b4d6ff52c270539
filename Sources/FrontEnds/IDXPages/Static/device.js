"use strict";

// Passkeys, and Okta Verify on this computer.
{
  const form = document.getElementById("sign-in");

  // MARK: Passkeys

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => buffer && btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  // The options of a request. Older browsers have no parse…FromJSON().
  function options(request, parse) {
    if (PublicKeyCredential[parse]) return PublicKeyCredential[parse](request);
    const list = (credentials) => (credentials ?? []).map((known) => ({ ...known, id: bytes(known.id) }));
    return request.rp
      ? {
        ...request, challenge: bytes(request.challenge),
        user: { ...request.user, id: bytes(request.user.id) },
        excludeCredentials: list(request.excludeCredentials),
      }
      : {
        ...request, challenge: bytes(request.challenge), allowCredentials: list(request.allowCredentials),
      };
  }

  // What the server reads. Older browsers have no toJSON().
  function result(credential) {
    if (credential.toJSON) return JSON.stringify(credential);
    const { response } = credential;
    const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    return JSON.stringify({
      id: credential.id, rawId: text(credential.rawId), type: credential.type, clientExtensionResults: {},
      response: Object.fromEntries(names.map((name) => [name, text(response[name])]).filter((entry) => entry[1])),
    });
  }

  let isAsking = false;

  // Says that the browser or Okta Verify asks, which can be behind other windows.
  function showAsking() {
    isAsking = true;
    form.querySelector("[data-waiting]").hidden = false;
    form.setAttribute("aria-busy", "true");
  }

  // Creates a passkey or signs with one.
  async function usePasskey(request) {
    if (isAsking) return;
    showAsking();
    try {
      form.elements.passkey.value = result(request.rp
        ? await navigator.credentials.create({ publicKey: options(request, "parseCreationOptionsFromJSON") })
        : await navigator.credentials.get({ publicKey: options(request, "parseRequestOptionsFromJSON") }));
    } catch (error) {
      // The server shows a sentence for any failure.
      form.elements.passkey.value = error.name || "failed";
    }
    form.submit();
  }

  // Lets the browser offer passkeys in the field of the username; it waits until the person chooses one.
  async function offerPasskeys(request) {
    try {
      if (!await PublicKeyCredential.isConditionalMediationAvailable()) return;
      form.elements.passkey.value = result(await navigator.credentials.get({
        mediation: "conditional", publicKey: options(request, "parseRequestOptionsFromJSON"),
      }));
      form.submit();
    } catch {
      // This browser has none to offer, and the person can type the username.
    }
  }

  // MARK: Okta Verify on this computer

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
    if (isAsking) return;
    showAsking();
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

  if (form.dataset.passkey) {
    const request = JSON.parse(form.dataset.passkey);
    onMainAction(() => usePasskey(request));
  }

  if (form.dataset.autofill) offerPasskeys(JSON.parse(form.dataset.autofill));

  if (form.dataset.fastpass) {
    const challenge = JSON.parse(form.dataset.fastpass);
    onMainAction(() => useOktaVerify(challenge));
  }
}
