"use strict";

// Okta Verify on this computer, after sign-in.js.
{
  const form = document.getElementById("sign-in");

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
    form.elements.fastpass.value = JSON.stringify(await passChallenge(challenge));
    form.submit();
  }

  const challenge = JSON.parse(form.dataset.fastpass);
  doMainAction(() => useOktaVerify(challenge));
}
