import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What proves who it is, by DirectAuth.
extension OrgCore {
  mutating func proveCode(
    _ form: [String: String], by grant: DirectGrant, in signIn: inout DirectSignIn
  ) throws(DirectRefusal) {
    let account = account(signIn.account)
    let keys = grant.authenticators.filter {
      account.hasEnrolled($0) && (!grant.isSecond || signIn.demanded.contains($0))
    }
    let ceremonies = keys.map { key in
      var ceremony = Ceremony(authenticator: key, purpose: .challenge)
      ceremony.method = key == .oktaVerify ? "totp" : nil
      return ceremony
    }
    let code = text("otp", in: form)
    try prove(ceremonies, by: ["passcode": code, "totp": code], in: &signIn, form)
  }

  mutating func provePasskey(
    _ form: [String: String], in signIn: inout DirectSignIn
  ) throws(DirectRefusal) {
    let id = try passkeyChallenge(in: form)
    let challenge = try challenge(id, in: form)
    let answer: JSONValue = [
      "authenticatorData": text("authenticatorData", in: form),
      "clientData": text("clientDataJSON", in: form), "signatureData": text("signature", in: form),
    ]
    let credentials = answer.adding("userHandle", form["userHandle"].map(JSONValue.string))
    try prove([challenge.ceremony], by: credentials, in: &signIn, form)
    direct.challenges[id] = nil
  }

  mutating func proveElsewhere(
    _ form: [String: String], in signIn: inout DirectSignIn
  ) throws(DirectRefusal) {
    let id = form["oob_code"] ?? ""
    let challenge = try challenge(id, in: form)
    if challenge.isPolled {
      try poll(challenge, id, form, in: &signIn)
    } else {
      try check(form, has: ["binding_code"])
      let code = text("binding_code", in: form)
      try prove([challenge.ceremony], by: ["passcode": code], in: &signIn, form)
    }
    direct.challenges[id] = nil
  }

  private mutating func poll(
    _ challenge: DirectChallenge, _ id: String, _ form: [String: String],
    in signIn: inout DirectSignIn
  ) throws(DirectRefusal) {
    guard form["binding_code"] == nil else {
      throw DirectRefusal(
        "invalid_request", "A push takes no binding_code: the person picks it on the device.")
    }
    let isTooSoon =
      challenge.polledAt.map { now < $0.addingTimeInterval(challenge.interval) } ?? false
    var polled = challenge
    polled.polledAt = now
    if isTooSoon { polled.interval += DirectChallenge.firstInterval }
    direct.challenges[id] = polled
    guard !isTooSoon else {
      throw DirectRefusal("slow_down", "The polls come too fast: wait five seconds more.")
    }
    switch challenge.ceremony.device.event(by: now) {
    case nil:
      throw DirectRefusal("authorization_pending", "The person has not answered yet.")
    case .timedOut:
      throw DirectRefusal("expired_token", OrgMessage.pushTimedOut.text)
    case .rejected:
      direct.challenges[id] = nil
      throw DirectRefusal("access_denied", OrgMessage.pushRejected.text)
    case .approved:
      guard account(signIn.account).isOpen else {
        throw DirectRefusal("invalid_grant", OrgMessage.authenticationFailed.text)
      }
      settle(challenge.ceremony, with: .null, by: signIn.account)
      signIn.add(challenge.ceremony)
    }
  }

  /// Takes an answer that one of these accepts, or counts it against the account.
  mutating func prove(
    _ ceremonies: [Ceremony], by credentials: JSONValue, in signIn: inout DirectSignIn,
    _ form: [String: String]
  ) throws(DirectRefusal) {
    let account = account(signIn.account)
    // After a first factor there is no secret about who exists.
    var text = (form["mfa_token"] == nil ? OrgMessage.authenticationFailed : .wrongCode).text
    let right = ceremonies.first { ceremony in
      guard let kind = OrgAuthenticators[ceremony.authenticator] else { return false }
      let rejection = kind.judge(credentials, of: ceremony, by: account, in: self)
      // What is wrong with a signature tells nobody which users there are.
      if let rejection, kind.key == .webAuthn { text = rejection.message.text }
      return rejection == nil
    }
    guard account.isOpen, let right else {
      if countFailure(of: signIn.account, account), let token = form["mfa_token"] {
        direct.end(token)
      }
      throw DirectRefusal("invalid_grant", text)
    }
    settle(right, with: credentials, by: signIn.account)
    signIn.add(right)
  }

  private func text(_ name: String, in form: [String: String]) -> JSONValue {
    .string(form[name] ?? "")
  }
}
