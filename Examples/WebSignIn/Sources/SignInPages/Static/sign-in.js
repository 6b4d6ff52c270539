"use strict";

// Everything that needs JavaScript: passkeys, and asking whether there is news.
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
    form.addEventListener("submit", (event) => {
      if (event.submitter?.name) return;
      event.preventDefault();
      usePasskey(request);
    });
    if ("start" in form.dataset) usePasskey(request);
  }

  if (form?.dataset.poll) {
    const interval = Number(form.dataset.poll);
    setTimeout(poll, interval, interval);
  }
}
