import IDX
import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What the addresses under `/idp/idx` do. The body fits a form that was offered.
extension OrgCore {
  private typealias Action =
    @Sendable (inout OrgCore, inout OrgTransaction, JSONValue) -> StepResult

  private static let actions: [String: Action] = [
    "/identify": { $0.identify(&$1, $2) },
    "/identify/select": { _, transaction, _ in
      transaction.operation = nil
      transaction.step = .identify
      return .moved
    },
    "/recover": { org, transaction, _ in org.recover(&transaction) },
    "/unlock-account": { org, transaction, _ in org.unlock(&transaction) },
    "/enroll": { _, transaction, _ in
      transaction.step = .profile
      return .moved
    },
    "/enroll/new": { $0.register(&$1, $2) },
    "/challenge": { $0.choose(.challenge, &$1, $2) },
    "/challenge/answer": { $0.answerChallenge(&$1, $2) },
    "/challenge/resend": { org, transaction, _ in org.resend(&transaction) },
    "/challenge/poll": { $0.poll(&$1, $2) },
    "/challenge/send": { $0.send(&$1, $2) },
    "/credential/enroll": {
      $1.challenge?.isPromotion == true
        ? $0.answerChallenge(&$1, $2) : $0.choose(.enroll, &$1, $2)
    },
    "/authenticators/poll": { $0.poll(&$1, $2) },
    "/authenticators/poll/cancel": { org, transaction, _ in org.advance(&transaction) },
    "/authenticators/okta-verify/launch": { org, transaction, _ in
      org.enter(.deviceChallenge(.customURI), &transaction)
    },
    "/skip": { org, transaction, _ in org.skip(&transaction) },
    "/cancel": { org, transaction, _ in org.cancel(&transaction) },
  ]

  /// Paths of interstitial steps, or their prefixes.
  private static let stepPaths = [
    "/consent", "/keep-me-signed-in", "/poll", "/device/activate", "/request-activation",
    "/enroll/update", "/authenticators/sso_extension/",
  ]

  /// Whether there is anything at a path, at whatever step.
  static func isKnown(_ path: String) -> Bool {
    actions[path] != nil || stepPaths.contains(where: path.hasPrefix)
  }

  /// Acts on the answer to a form.
  mutating func answer(
    _ body: JSONValue, at path: String, _ transaction: inout OrgTransaction
  ) -> StepResult {
    if case .interstitial(let step) = transaction.step, path != "/cancel" {
      return answer(step, body, at: path, &transaction)
    }
    return Self.actions[path]?(&self, &transaction, body) ?? .unchanged
  }

  // MARK: - The user name

  private mutating func identify(
    _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> StepResult {
    if let refusal = refusedCaptcha(in: body) { return refusal }
    let login = body["identifier"]?.string ?? ""
    if let operation = transaction.operation {
      return begin(operation.kind, for: login, &transaction) ?? advance(&transaction)
    }
    let key = OrgAccount.Key(login)
    let account = accounts[key] ?? OrgAccount(nobodyCalled: login)
    accounts[key] = account
    if settings.policy.start == .withPassword {
      let password = body["credentials"]?["passcode"]?.string
      guard account.isOpen, password == account.user.password.revealed else {
        return fail(Rejection(.authenticationFailed, status: 400), key, &transaction)
      }
      transaction.proved = ProvedAuthenticators()
      transaction.proved.add(.password(.challenge))
    }
    transaction.account = key
    return advance(&transaction)
  }

  /// What is wrong with the token of a captcha, if there is one.
  private func refusedCaptcha(in body: JSONValue) -> StepResult? {
    guard let captcha = body["captchaVerify"],
      captcha["captchaToken"]?.string != SimulatedOrg.captchaToken
    else { return nil }
    return StepResult(status: 400, messages: [.wrongCaptcha])
  }

  private mutating func register(
    _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> StepResult {
    if let refusal = refusedCaptcha(in: body) { return refusal }
    let profile = body["userProfile"]
    var problems = ProfileForm.registration.problems(in: profile)
    var values = ProfileForm.values(of: profile)
    let email = values.removeValue(forKey: "email") ?? ""
    let key = OrgAccount.Key(email)
    if let account = accounts[key], account.exists, account.hasPassword {
      problems["userProfile.email"] = .takenEmail
    }
    var user = SimulatedUser(
      login: email, password: "", firstName: values.removeValue(forKey: "firstName") ?? "",
      lastName: values.removeValue(forKey: "lastName") ?? "")
    user.attributes = values
    var account = OrgAccount(user)
    let credentials = body["credentials"]
    let challenge = AuthenticatorChallenge.password(.enroll)
    if let credentials {
      do throws(Rejection) {
        _ = try challenge.proof.verify(credentials, of: challenge, by: &account, in: self)
      } catch {
        problems["credentials.passcode"] = error.message
      }
    }
    guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }

    accounts[key] = account
    if settings.policy.accounts.registration?.verifiesMail == true {
      return end(.mailToVerify, &transaction)
    }
    transaction.account = key
    if credentials != nil {
      transaction.proved.add(challenge)
    } else {
      transaction.operation = AccountOperation(kind: .registration)
    }
    return advance(&transaction)
  }

  // MARK: - Recovery and unlock

  private mutating func recover(_ transaction: inout OrgTransaction) -> StepResult {
    guard let key = transaction.account else {
      transaction.operation = AccountOperation(kind: .recovery)
      transaction.step = .identifyAccount
      return .moved
    }
    return begin(.recovery, for: key.text, &transaction) ?? advance(&transaction)
  }

  private func unlock(_ transaction: inout OrgTransaction) -> StepResult {
    transaction.operation = AccountOperation(kind: .unlock)
    let asksNameFirst = settings.policy.accounts.unlock?.asksNameFirst == true
    transaction.step = asksNameFirst ? .identifyAccount : .selectUnlock
    return .moved
  }

  // MARK: - Authenticators

  private mutating func choose(
    _ purpose: AuthenticatorChallenge.Purpose, _ transaction: inout OrgTransaction,
    _ body: JSONValue
  ) -> StepResult {
    guard let choice = body["authenticator"],
      let authenticator = choice["id"]?.string.flatMap(OrgAuthenticator.with(id:))
    else { return .unchanged }
    if case .selectUnlock = transaction.step {
      let login = body["identifier"]?.string ?? ""
      if let refusal = begin(.unlock, for: login, by: authenticator.key, &transaction) {
        return refusal
      }
    }
    var challenge = AuthenticatorChallenge(authenticator, purpose)
    if let method = choice["methodType"]?.string {
      challenge.method = authenticator.usableMethods.first { $0.value.rawValue == method }
    }
    challenge.phoneNumber = choice["phoneNumber"]?.string
    challenge.device.channel = choice["channel"]?.string
    challenge.device.autoChallenge = choice["autoChallenge"]?.bool
    challenge.wasChosen = true
    challenge.isConfirmed =
      transaction.challenge?.authenticator.key == authenticator.key
      && transaction.challenge?.purpose == purpose
    if purpose == .challenge, let account = transaction.account.flatMap({ accounts[$0] }) {
      challenge.enrollment = account.user.enrollments.indices.first { index in
        account.user.enrollments[index].authenticator == authenticator.key
          && choice["enrollmentId"].map { $0.string == account.enrollmentID(at: index) } ?? true
      }
    }
    return open(challenge, &transaction)
  }

  private mutating func answerChallenge(
    _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> StepResult {
    guard let key = transaction.account, let challenge = transaction.challenge else {
      return .unchanged
    }
    return complete(challenge, with: body["credentials"] ?? .null, of: key, &transaction)
  }

  private mutating func resend(_ transaction: inout OrgTransaction) -> StepResult {
    guard var challenge = transaction.challenge else { return .unchanged }
    challenge.isConfirmed = true
    return open(challenge, &transaction)
  }

  /// Sends the link that sets up an app to where the user says.
  private mutating func send(
    _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> StepResult {
    guard var challenge = transaction.challenge else { return .unchanged }
    challenge.device.destination = (body["email"] ?? body["phoneNumber"])?.string
    return open(challenge, &transaction)
  }

  /// Tells whether a device or a link has answered.
  private mutating func poll(
    _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> StepResult {
    guard case .challenge(var challenge) = transaction.step, let key = transaction.account else {
      return .unchanged
    }
    if body["autoChallenge"] == false {
      accounts[key]?.autoChallenges.remove(challenge.authenticator.key)
    }
    switch challenge.device.event(by: now) {
    case nil: return .unchanged
    case .approved where challenge.proof.isDoneByApproval:
      return complete(challenge, with: nil, of: key, &transaction)
    case .approved:
      challenge.device.stage = .done
      transaction.step = .challenge(challenge)
      return .moved
    case .rejected: return failPush(challenge, .pushRejected, &transaction)
    case .timedOut: return failPush(challenge, .pushTimedOut, &transaction)
    }
  }

  private func failPush(
    _ challenge: AuthenticatorChallenge, _ message: IDXMessage.Draft,
    _ transaction: inout OrgTransaction
  ) -> StepResult {
    var challenge = challenge
    challenge.device.stage = .failed
    transaction.step = .challenge(challenge)
    return StepResult(messages: [message], isNewStep: true)
  }

  private mutating func skip(_ transaction: inout OrgTransaction) -> StepResult {
    transaction.skip()
    return advance(&transaction)
  }

  private mutating func cancel(_ transaction: inout OrgTransaction) -> StepResult {
    let interaction = transaction.interaction
    let handle = startTransaction(of: interaction)
    interactions[interaction]?.stateHandle = handle
    if let new = transactions[handle] { transaction = new }
    return .moved
  }
}

extension OrgTransaction {
  /// Skips what is optional, or the replacement of a password that expires soon.
  mutating func skip() {
    if challenge?.purpose == .replace { keepsPassword = true } else { hasSkipped = true }
  }
}
