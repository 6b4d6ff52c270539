"use strict";

// Passkeys, after sign-in.js.
{
  const form = document.getElementById("sign-in");

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

  // Creates a passkey or signs with one.
  async function usePasskey(request) {
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

  if (form.dataset.passkey) {
    const request = JSON.parse(form.dataset.passkey);
    doMainAction(() => usePasskey(request));
  }

  if (form.dataset.autofill) offerPasskeys(JSON.parse(form.dataset.autofill));
}
