import Foundation
import IDX
import IDXBase

// The actions of the paths under `/idp/idx`. The body already fits a form of the last response.
extension OrgCore {
  private typealias Action = @Sendable (OrgCore, JSONValue) -> StepResult

  private static let actions: [String: Action] = [
    "/identify": { $0.identify($1) },
    "/identify/select": { org, _ in
      org.signIn.operation = nil
      org.signIn.step = .identify
      return .moved
    },
    "/recover": { org, _ in org.recover() },
    "/unlock-account": { org, _ in org.unlock() },
    "/enroll": { org, _ in
      org.signIn.step = .profile
      return .moved
    },
    "/enroll/new": { $0.register($1) },
    "/challenge": { $0.choose(.challenge, $1) },
    "/challenge/answer": { $0.answerChallenge($1) },
    "/challenge/resend": { org, _ in org.reopen { $0.isConfirmed = true } },
    "/challenge/send": { org, body in
      org.reopen { $0.device.destination = (body["email"] ?? body["phoneNumber"])?.string }
    }, "/challenge/poll": { $0.poll($1) },
    "/credential/enroll": {
      $0.signIn.challenge?.isPromotion == true ? $0.answerChallenge($1) : $0.choose(.enroll, $1)
    }, "/authenticators/poll": { $0.poll($1) },
    "/authenticators/poll/cancel": { org, _ in org.chooseAgain() },
    "/authenticators/okta-verify/launch": { org, _ in org.enter(.deviceChallenge(.customURI)) },
    "/skip": { org, _ in
      org.signIn.skip()
      return org.advance()
    },
    "/cancel": { org, _ in
      org.startSignIn(of: org.signIn.interaction)
      return .moved
    },
  ]

  /// Paths of interstitial steps, or prefixes of them.
  private static let stepPaths = [
    "/consent", "/keep-me-signed-in", "/poll", "/device/activate", "/request-activation",
    "/enroll/update", "/authenticators/sso_extension/",
  ]

  /// Whether a path exists, at any step.
  static func isKnown(_ path: String) -> Bool {
    actions[path] != nil || stepPaths.contains(where: path.hasPrefix)
  }

  func answer(_ body: JSONValue, at path: String) -> StepResult {
    if case .interstitial(let step) = signIn.step, path != "/cancel" {
      return answer(step, body, at: path)
    }
    return Self.actions[path]?(self, body) ?? .unchanged
  }

  // MARK: - The username and accounts

  private func identify(_ body: JSONValue) -> StepResult {
    if let refusal = refusedCaptcha(in: body) { return refusal }
    let login = body["identifier"]?.string ?? ""
    signIn.remembersDevice = body["rememberMe"] == true
    if let operation = signIn.operation {
      return begin(operation.kind, for: login).map(StepResult.rejected) ?? advance()
    }
    let key = OrgAccount.Key(login)
    let account = accounts[key] ?? OrgAccount(unknown: login)
    accounts[key] = account
    if settings.policy.start == .withPassword {
      let password = body["credentials"]?["passcode"]?.string
      guard account.isOpen, password == account.user.password.revealed else {
        return fail(Rejection(.authenticationFailed, status: 400), of: key)
      }
      signIn.proved = ProvedAuthenticators()
      signIn.proved.add(.password(.challenge))
    }
    signIn.account = key
    return advance()
  }

  /// A passkey says itself whose it is, and replaces the password.
  private func identify(
    by challenge: AuthenticatorChallenge, _ credentials: JSONValue
  ) -> StepResult {
    let id = credentials["userHandle"]?.string
    guard let (key, account) = accounts.first(where: { $0.value.id == id }), account.isOpen else {
      return .rejected(Rejection(.refusedPasskey("it belongs to no user"), status: 400))
    }
    signIn.account = key
    let before = signIn.proved
    signIn.proved.addPassword()
    let result = complete(challenge, with: credentials)
    // Nobody is known after a refusal.
    if case .identify = signIn.step { (signIn.account, signIn.proved) = (nil, before) }
    return result
  }

  private func refusedCaptcha(in body: JSONValue) -> StepResult? {
    guard let captcha = body["captchaVerify"],
      captcha["captchaToken"]?.string != SimulatedOrg.captchaToken
    else { return nil }
    return StepResult(status: 400, messages: [.wrongCaptcha])
  }

  private func register(_ body: JSONValue) -> StepResult {
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
    let challenge = AuthenticatorChallenge.password(.enroll)
    var answer = ProofAnswer(
      challenge: challenge, values: body["credentials"], account: OrgAccount(user),
      policy: settings.policy, now: now)
    if !answer.isApproval {
      do throws(Rejection) {
        _ = try challenge.proof.verify(&answer)
      } catch { problems["credentials.passcode"] = error.message }
    }
    guard problems.isEmpty else { return StepResult(status: 400, fieldMessages: problems) }

    accounts[key] = answer.account
    if settings.policy.accounts.registration?.verifiesMail == true { return end(.mailToVerify) }
    signIn.account = key
    if answer.isApproval {
      signIn.operation = AccountOperation(kind: .registration)
    } else {
      signIn.proved.add(challenge)
    }
    return advance()
  }

  private func recover() -> StepResult {
    if let key = signIn.account {
      return begin(.recovery, for: key.text).map(StepResult.rejected) ?? advance()
    }
    signIn.operation = AccountOperation(kind: .recovery)
    signIn.step = .identifyAccount
    return .moved
  }

  private func unlock() -> StepResult {
    signIn.operation = AccountOperation(kind: .unlock)
    let asksNameFirst = settings.policy.accounts.unlock?.asksNameFirst == true
    signIn.step = asksNameFirst ? .identifyAccount : .selectUnlock
    return .moved
  }

  // MARK: - Authenticators

  private func choose(
    _ purpose: AuthenticatorChallenge.Purpose, _ body: JSONValue
  ) -> StepResult {
    guard let choice = body["authenticator"],
      let authenticator = choice["id"]?.string.flatMap(OrgAuthenticator.with(id:))
    else { return .unchanged }
    if case .selectUnlock = signIn.step {
      let login = body["identifier"]?.string ?? ""
      if let refusal = begin(.unlock, for: login, by: authenticator.key) {
        return .rejected(refusal)
      }
    }
    var challenge = AuthenticatorChallenge(authenticator, purpose)
    if let method = choice["methodType"]?.string {
      challenge.method = authenticator.methods.first { $0.value.rawValue == method }
    }
    challenge.phoneNumber = choice["phoneNumber"]?.string
    challenge.device.channel = choice["channel"]?.string
    challenge.device.autoChallenge = choice["autoChallenge"]?.bool
    challenge.wasChosen = true
    let current = signIn.challenge
    challenge.isConfirmed =
      current?.authenticator.key == authenticator.key && current?.purpose == purpose
    if purpose == .challenge {
      let (account, id) = (account, choice["enrollmentId"])
      challenge.enrollment = account.user.enrollments.indices.first { index in
        account.user.enrollments[index].authenticator == authenticator.key
          && id.map { $0.string == account.enrollmentID(at: index) } ?? true
      }
    }
    return open(challenge)
  }

  private func answerChallenge(_ body: JSONValue) -> StepResult {
    if case .identify = signIn.step, let challenge = signIn.passkeyFirst {
      return identify(by: challenge, body["credentials"] ?? .null)
    }
    guard let challenge = signIn.challenge else { return .unchanged }
    return complete(challenge, with: body["credentials"] ?? .null)
  }

  /// Starts the current challenge again, with a change.
  private func reopen(with change: (inout AuthenticatorChallenge) -> Void) -> StepResult {
    guard var challenge = signIn.challenge else { return .unchanged }
    change(&challenge)
    return open(challenge)
  }

  /// Lets the user choose another method than Okta FastPass.
  private func chooseAgain() -> StepResult {
    guard var challenge = signIn.challenge else { return .unchanged }
    challenge.method = nil
    challenge.device = PendingDeviceAction()
    signIn.step = .needsInput(challenge)
    return .moved
  }

  /// Returns whether a device or a link has answered.
  private func poll(_ body: JSONValue) -> StepResult {
    guard case .challenge(var challenge) = signIn.step else { return .unchanged }
    if body["autoChallenge"] == false {
      account.autoChallenges.remove(challenge.authenticator.key)
    }
    let event = challenge.device.event(by: now)
    switch event {
    case nil: return .unchanged
    case .approved where challenge.proof.isDoneByApproval: return complete(challenge, with: nil)
    case .approved: challenge.device.stage = .done
    case .rejected, .timedOut: challenge.device.stage = .failed
    }
    signIn.step = .challenge(challenge)
    let messages: [Message] =
      event == .approved ? [] : [event == .rejected ? .pushRejected : .pushTimedOut]
    return StepResult(messages: messages, isNewStep: true)
  }
}
