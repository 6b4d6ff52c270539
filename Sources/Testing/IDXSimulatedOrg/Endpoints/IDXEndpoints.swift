import Foundation
import IDX
import IDXBase

// Identity Engine: the addresses under `/idp/idx`.
extension OrgEndpoint {
  static let idx = [
    OrgEndpoint(
      "POST", at: .origin, "/idp/idx/introspect", .json(else: .notJSON), as: idxTypes,
      respond: introspect),
    formEndpoint("/idp/idx/identify") { $0.identify($1, in: &$2) },
    formEndpoint("/idp/idx/identify/select") { signIn, _, _ in
      signIn.operation = nil
      return signIn.move(to: .identify)
    },
    formEndpoint("/idp/idx/recover") { signIn, _, org in signIn.recover(in: &org) },
    formEndpoint("/idp/idx/unlock-account") { signIn, _, org in signIn.unlock(in: org) },
    formEndpoint("/idp/idx/enroll") { signIn, _, _ in signIn.move(to: .profile) },
    formEndpoint("/idp/idx/enroll/new") { $0.register($1, in: &$2) },
    formEndpoint("/idp/idx/challenge") { $0.choose(.challenge, $1, in: &$2) },
    formEndpoint("/idp/idx/challenge/answer") { $0.answerChallenge($1, in: &$2) },
    formEndpoint("/idp/idx/challenge/resend") { signIn, _, org in
      signIn.reopen(in: &org) { $0.isConfirmed = true }
    },
    formEndpoint("/idp/idx/challenge/send") { signIn, body, org in
      signIn.reopen(in: &org) {
        $0.device.destination = (body["email"] ?? body["phoneNumber"])?.string
      }
    },
    formEndpoint("/idp/idx/challenge/poll") { $0.poll($1, in: &$2) },
    formEndpoint("/idp/idx/credential/enroll") { signIn, body, org in
      signIn.challenge?.isPromotion == true
        ? signIn.answerChallenge(body, in: &org) : signIn.choose(.enroll, body, in: &org)
    },
    formEndpoint("/idp/idx/authenticators/poll") { $0.poll($1, in: &$2) },
    formEndpoint("/idp/idx/authenticators/poll/cancel") { signIn, _, _ in signIn.chooseAgain() },
    formEndpoint("/idp/idx/authenticators/okta-verify/launch") { signIn, _, org in
      signIn.enter(.deviceChallenge(.customURI), at: org.now)
    },
    formEndpoint("/idp/idx/skip") { signIn, _, org in
      signIn.skip()
      return signIn.advance(in: &org)
    },
    formEndpoint("/idp/idx/cancel") { signIn, _, org in
      signIn = org.startSignIn(
        of: signIn.interaction, hosted: signIn.hosted, by: signIn.sender)
      return .moved
    },
    // What only the forms of interstitial steps name (``StepSpec``).
    formEndpoint("/idp/idx/**") { _, _, _ in .unchanged },
  ]

  private static let idxTypes = ["application/json", "application/ion+json"]

  /// An address that a form of a response names: the body must fit the form.
  private static func formEndpoint(
    _ pattern: String,
    _ answer: @escaping @Sendable (inout SignIn, JSONValue, inout OrgState) -> StepResult
  ) -> OrgEndpoint {
    OrgEndpoint(
      "POST", at: .origin, pattern, .json(else: .notJSON), as: idxTypes
    ) { (request, org) throws(Refusal) in
      guard let handle = request.body["stateHandle"] else {
        throw .idx([.missing("stateHandle")], status: 400)
      }
      let current = org.currentHandle(for: handle.string ?? "")
      guard var signIn = org.resume(current, .idx, by: request.sender) else { throw .expired }
      try signIn.checkCookies(of: request.http)
      var members = request.body
      members["stateHandle"] = .string(current)
      let path = String(request.address.dropFirst(org.settings.idx("").count))
      let body = JSONValue.object(withoutReason(members, at: path))
      let forms = FormCheck.forms(
        in: signIn.document, method: request.http.method, href: request.address)
      let problems = FormCheck(tolerated: org.requestRules.toleratedMembers)
        .problems(of: body, answering: forms)
      guard !forms.isEmpty, problems.isEmpty else {
        return signIn.misfit(
          messages(about: forms, problems, at: path, of: signIn), in: &org)
      }
      if path != "/cancel", signIn.isBlocked(in: org) {
        return signIn.record(StepResult(status: 429, messages: [.tooManyAttempts]), in: &org)
      }
      org.remove(signIn)
      let result =
        if case .interstitial(let step) = signIn.step, path != "/cancel" {
          signIn.answer(step, body, at: path, in: &org)
        } else {
          answer(&signIn, body, &org)
        }
      if result.isNewStep {
        signIn.expiresAt = org.now.addingTimeInterval(signIn.step.lifetime)
      }
      signIn.renewHandle(in: &org)
      return signIn.record(result, in: &org)
    }
  }

  /// Why a body is no answer to any of the forms at a path.
  private static func messages(
    about forms: [[JSONValue]], _ problems: [FormCheck.Problem], at path: String, of signIn: SignIn
  ) -> [Message] {
    guard !forms.isEmpty else {
      let isTooEarly = path == "/challenge/answer" && signIn.accountKey == nil
      return [isTooEarly ? .answerTooEarly : .notOffered]
    }
    let isTooEarly =
      path == "/identify"
      && problems.allSatisfy { $0.path == "credentials" && $0.kind == .unknown }
    return isTooEarly ? [.credentialsTooEarly] : problems.map(\.message)
  }

  /// The body without the reason for which a client gives up the wait for Okta Verify, which no form names.
  private static func withoutReason(_ body: JSONValue.Object, at path: String) -> JSONValue.Object {
    guard path == "/authenticators/poll/cancel", let reason = body["reason"]?.string,
      ["OV_UNREACHABLE_BY_LOOPBACK", "OV_RETURNED_ERROR", "USER_CANCELED"].contains(reason)
    else { return body }
    var body = body
    (body["reason"], body["statusCode"]) = (nil, nil)
    return body
  }

  private static let introspect: Responder = { (request, org) throws(Refusal) in
    let names = ["interactionHandle", "stateHandle", "stateToken"]
    guard request.body.members.count == 1, let member = request.body.members.first,
      names.contains(member.name), let text = member.value.string
    else { throw .idx([.handleNotAlone], status: 400) }
    let isInteraction = member.name == "interactionHandle"
    let handle =
      isInteraction
      ? org.tokens.requests[text]?.stateHandle
      : org.currentHandle(for: text, alsoEarlier: true)
    guard var signIn = org.resume(handle ?? "", .idx, by: request.sender) else { throw .expired }
    try signIn.checkCookies(of: request.http)
    guard !org.mistakes.contains(.noMatchingPolicy) else {
      throw .idx([.noMatchingPolicy], status: 403)
    }
    return signIn.record(.unchanged, in: &org)
  }
}

extension OrgState {
  /// A new sign-in of a client's first request, or of a page.
  mutating func startSignIn(
    of interaction: String, hosted: HostedSignIn? = nil, by sender: OrgRequest.Sender
  ) -> SignIn {
    var signIn = newSignIn(
      .idx, handle: hosted == nil ? random.handle("02") : newHandle(after: nil), by: sender,
      lifetime: SignIn.Step.identify.lifetime)
    signIn.interaction = interaction
    signIn.hosted = hosted
    signIn.enterFirstStep(after: 0, in: self)
    if settings.policy.acceptsPasskeyFirst, let authenticator = OrgAuthenticator[.webAuthn] {
      var challenge = AuthenticatorChallenge(authenticator, .challenge)
      if (try? challenge.check.begin(&challenge, of: signIn, in: &self)) != nil {
        signIn.passkeyFirst = challenge
      }
    }
    tokens.requests[interaction]?.stateHandle = signIn.handle
    save(signIn)
    return signIn
  }
}

// What the addresses do. The body already fits a form of the last response.
extension SignIn {
  /// The response to a body that does not fit a form.
  ///
  /// By the strict rules, it has messages but no forms and no `cancel`, as real servers respond to some bodies: the
  /// mistake is the client's, and introspection returns the step, which has not changed. A value that fits but is
  /// wrong, such as a wrong code, repeats the step with a message at the field or at the response.
  fileprivate mutating func misfit(
    _ messages: [Message], in org: inout OrgState
  ) -> OrgResponse {
    guard org.requestRules.isStrict else {
      return record(StepResult(status: 400, messages: messages), in: &org)
    }
    var draft = IDXResponse.Draft()
    draft.messages = messages
    draft.expiresAt = expiresAt.timestamp
    draft.members = JSONValue.Object([
      .init("stateHandle", .string(handle)), .init("intent", "LOGIN"),
    ])
    return .idx(draft.json, status: 400)
  }

  // MARK: The username and accounts

  fileprivate mutating func identify(_ body: JSONValue, in org: inout OrgState) -> StepResult {
    if let refusal = Self.refusedCaptcha(in: body) { return refusal }
    let login = body["identifier"]?.string ?? ""
    remembersDevice = body["rememberMe"] == true
    if let operation {
      return begin(operation.kind, for: login, in: org).map(StepResult.rejected)
        ?? advance(in: &org)
    }
    let key = OrgAccount.Key(login)
    let account = org.accounts[key] ?? OrgAccount(unknown: login)
    org.accounts[key] = account
    if org.settings.policy.start == .withPassword {
      let password = body["credentials"]?["passcode"]?.string
      guard account.isOpen, password == account.user.password.revealed else {
        return fail(Rejection(.authenticationFailed, status: 400), of: key, in: &org)
      }
      verified = .password
    }
    accountKey = key
    return advance(in: &org)
  }

  /// Signs in the user whom the response of a passkey names; it replaces the password.
  private mutating func identify(
    by challenge: AuthenticatorChallenge, _ credentials: JSONValue, in org: inout OrgState
  ) -> StepResult {
    let id = credentials["userHandle"]?.string
    guard let (key, account) = org.accounts.first(where: { $0.value.id == id }), account.isOpen
    else {
      return .rejected(Rejection(.refusedPasskey("it belongs to no user"), status: 400))
    }
    accountKey = key
    let before = verified
    verified.addPassword()
    let result = complete(challenge, with: credentials, in: &org)
    // After a refusal, the sign-in has no user.
    if case .identify = step { (accountKey, verified) = (nil, before) }
    return result
  }

  private static func refusedCaptcha(in body: JSONValue) -> StepResult? {
    guard let captcha = body["captchaVerify"],
      captcha["captchaToken"]?.string != SimulatedOrg.captchaToken
    else { return nil }
    return StepResult(status: 400, messages: [.wrongCaptcha])
  }

  fileprivate mutating func register(_ body: JSONValue, in org: inout OrgState) -> StepResult {
    if let refusal = Self.refusedCaptcha(in: body) { return refusal }
    let profile = body["userProfile"]
    var problems = ProfileForm.registration.problems(in: profile)
    var values = ProfileForm.values(of: profile)
    let email = values.removeValue(forKey: "email") ?? ""
    let key = OrgAccount.Key(email)
    if let account = org.known(key), account.hasPassword {
      problems["userProfile.email"] = .takenEmail
    }
    var user = SimulatedUser(
      login: email, password: "", firstName: values.removeValue(forKey: "firstName") ?? "",
      lastName: values.removeValue(forKey: "lastName") ?? "")
    user.attributes = values
    let challenge = AuthenticatorChallenge.password(.enroll)
    var answer = CheckAnswer(
      challenge: challenge, values: body["credentials"], account: OrgAccount(user),
      policy: org.settings.policy, now: org.now)
    if !answer.isApproval {
      do throws(Rejection) {
        _ = try challenge.check.verify(&answer)
      } catch { problems["credentials.passcode"] = error.message }
    }
    guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }

    org.accounts[key] = answer.account
    let registration = org.settings.policy.accounts.registration
    if registration?.verifiesMail == true { return end(.mailToVerify) }
    accountKey = key
    if answer.isApproval {
      operation = AccountOperation(kind: .registration)
    } else {
      verified.add(challenge)
    }
    return advance(in: &org)
  }

  fileprivate mutating func recover(in org: inout OrgState) -> StepResult {
    if let accountKey {
      return begin(.recovery, for: accountKey.text, in: org).map(StepResult.rejected)
        ?? advance(in: &org)
    }
    operation = AccountOperation(kind: .recovery)
    return move(to: .identifyAccount)
  }

  fileprivate mutating func unlock(in org: OrgState) -> StepResult {
    operation = AccountOperation(kind: .unlock)
    let asksNameFirst = org.settings.policy.accounts.unlock?.asksNameFirst == true
    return move(to: asksNameFirst ? .identifyAccount : .selectUnlock)
  }

  // MARK: Authenticators

  fileprivate mutating func choose(
    _ purpose: AuthenticatorChallenge.Purpose, _ body: JSONValue, in org: inout OrgState
  ) -> StepResult {
    guard let choice = body["authenticator"],
      let authenticator = choice["id"]?.string.flatMap(OrgAuthenticator.with(id:))
    else { return .unchanged }
    if case .selectUnlock = step {
      let login = body["identifier"]?.string ?? ""
      if let refusal = begin(.unlock, for: login, by: authenticator.key, in: org) {
        return .rejected(refusal)
      }
    }
    var new = AuthenticatorChallenge(authenticator, purpose)
    if let method = choice["methodType"]?.string {
      new.method = authenticator.methods.first { $0.value.rawValue == method }
    }
    new.phoneNumber = choice["phoneNumber"]?.string
    new.device.channel = choice["channel"]?.string
    new.device.autoChallenge = choice["autoChallenge"]?.bool
    new.wasChosen = true
    new.isConfirmed =
      challenge?.authenticator.key == authenticator.key && challenge?.purpose == purpose
    if purpose == .challenge {
      let (account, id) = (org[accountKey], choice["enrollmentId"])
      new.enrollment = account.user.enrollments.indices.first { index in
        account.user.enrollments[index].authenticator == authenticator.key
          && id.map { $0.string == account.enrollmentID(at: index) } ?? true
      }
    }
    return open(new, in: &org)
  }

  fileprivate mutating func answerChallenge(
    _ body: JSONValue, in org: inout OrgState
  ) -> StepResult {
    if case .identify = step, let passkeyFirst {
      return identify(by: passkeyFirst, body["credentials"] ?? .null, in: &org)
    }
    guard let challenge else { return .unchanged }
    return complete(challenge, with: body["credentials"] ?? .null, in: &org)
  }

  /// Starts the current challenge again, with a change.
  fileprivate mutating func reopen(
    in org: inout OrgState, with change: (inout AuthenticatorChallenge) -> Void
  ) -> StepResult {
    guard var challenge else { return .unchanged }
    change(&challenge)
    return open(challenge, in: &org)
  }

  /// Lets the user choose another method than Okta FastPass.
  fileprivate mutating func chooseAgain() -> StepResult {
    guard var challenge else { return .unchanged }
    challenge.method = nil
    challenge.device = PendingDeviceAction()
    return move(to: .needsInput(challenge))
  }

  /// Returns whether a device or a link has answered.
  fileprivate mutating func poll(_ body: JSONValue, in org: inout OrgState) -> StepResult {
    guard case .challenge(var challenge) = step else { return .unchanged }
    if body["autoChallenge"] == false {
      org[accountKey].autoChallenges.remove(challenge.authenticator.key)
    }
    let event = challenge.device.event(by: org.now)
    switch event {
    case nil: return .unchanged
    case .approved where challenge.check.isDoneByApproval:
      return complete(challenge, with: nil, in: &org)
    case .approved: challenge.device.stage = .done
    case .rejected, .timedOut: challenge.device.stage = .failed
    }
    step = .challenge(challenge)
    let messages: [Message] =
      event == .approved ? [] : [event == .rejected ? .pushRejected : .pushTimedOut]
    return StepResult(messages: messages, isNewStep: true)
  }
}
