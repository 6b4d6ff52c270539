import IDXBase
import IDX

// What the addresses under `/idp/idx` do that are about accounts, and those of stations.
extension OrgCore {
  static let accountActions: [String: Action] = [
    "/recover": { org, transaction, _ in org.recover(&transaction) },
    "/unlock-account": { org, transaction, _ in org.unlock(&transaction) },
    "/enroll": { _, transaction, _ in
      transaction.step = .account(.profile)
      return .step
    },
    "/enroll/new": { $0.register(&$1, $2) },
    "/identify/select": { _, transaction, _ in
      transaction.errand = nil
      transaction.step = .identify
      return .step
    },
    "/authenticators/okta-verify/launch": { org, transaction, _ in
      org.reach(.deviceChallenge(.customURI), &transaction)
    },
  ]

  /// Addresses that stations have, or how they begin.
  private static let stationPaths = [
    "/consent", "/keep-me-signed-in", "/poll", "/device/activate", "/request-activation",
    "/enroll/update", "/authenticators/poll", "/authenticators/sso_extension/",
  ]

  /// Whether there is anything at an address, at whichever step.
  static func hasAction(at path: String) -> Bool {
    actions[path] != nil || accountActions[path] != nil
      || stationPaths.contains(where: path.hasPrefix)
  }

  /// What an address does at the step of a sign-in.
  static func action(at path: String, for transaction: OrgTransaction) -> Action? {
    if let station = transaction.station, path != "/cancel" {
      return { $0.answer(station, $2, at: path, &$1) }
    }
    return accountActions[path] ?? actions[path]
  }

  /// Why a token of a captcha is not accepted; nil where it is, or where none is wanted.
  func refusedCaptcha(in body: JSONValue) -> OrgOutcome? {
    guard let captcha = body["captchaVerify"],
      captcha["captchaToken"]?.string != SimulatedOrg.captchaToken
    else { return nil }
    return OrgOutcome(status: 400, messages: [.wrongCaptcha])
  }

  private mutating func recover(_ transaction: inout OrgTransaction) -> OrgOutcome {
    guard let key = transaction.account else {
      transaction.errand = OrgErrand(kind: .recovery)
      transaction.step = .account(.identify)
      return .step
    }
    return take(.recovery, for: key.text, &transaction) ?? advance(&transaction)
  }

  private func unlock(_ transaction: inout OrgTransaction) -> OrgOutcome {
    transaction.errand = OrgErrand(kind: .unlock)
    let asksNameFirst = settings.policy.accounts.unlock?.asksNameFirst == true
    transaction.step = .account(asksNameFirst ? .identify : .selectUnlock)
    return .step
  }

  private mutating func register(_ transaction: inout OrgTransaction, _ body: JSONValue)
    -> OrgOutcome
  {
    if let refusal = refusedCaptcha(in: body) { return refusal }
    let profile = body["userProfile"]
    var problems = ProfileForm.problems(in: profile, of: ProfileForm.registration)
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
    let ceremony = Ceremony(authenticator: .password, purpose: .enroll)
    let credentials = body["credentials"]
    if let credentials {
      let rejection = PasswordAuthenticator()
        .judge(credentials, of: ceremony, by: OrgAccount(user), in: self)
      problems["credentials.passcode"] = rejection?.message
    }
    guard problems.isEmpty else { return OrgOutcome(status: 400, fieldMessages: problems) }

    var account = OrgAccount(user)
    if let credentials {
      PasswordAuthenticator()
        .settle(ceremony, credentials: credentials, in: &account, at: now)
    }
    accounts[key] = account
    if settings.policy.accounts.registration?.verifiesMail == true {
      return end(.mailToVerify, &transaction)
    }
    transaction.account = key
    if credentials != nil {
      transaction.verified.insert(.password)
    } else {
      transaction.errand = OrgErrand(kind: .registration)
    }
    return advance(&transaction)
  }
}

// How a sign-in passes its stations.
extension OrgCore {
  /// The step that a sign-in begins with.
  func firstStep(after passed: Int) -> OrgTransaction.Step {
    let stations = settings.policy.accounts.beforeIdentify
    guard stations.indices.contains(passed) else { return .identify }
    let station = stations[passed]
    return .account(station.desk.end.map(OrgTransaction.AccountStep.ended) ?? .station(station))
  }

  /// Goes to the next station after the authenticators; nil where there is none.
  mutating func nextStation(_ transaction: inout OrgTransaction) -> OrgOutcome? {
    let stations = settings.policy.accounts.afterFactors
    guard stations.indices.contains(transaction.stationsPassed) else { return nil }
    return reach(stations[transaction.stationsPassed], &transaction)
  }

  /// Leaves a station behind.
  mutating func pass(_ transaction: inout OrgTransaction) -> OrgOutcome {
    guard transaction.account == nil else {
      transaction.stationsPassed += 1
      return advance(&transaction)
    }
    let count = settings.policy.accounts.beforeIdentify.count
    transaction.stationsBefore = min(transaction.stationsBefore + 1, count)
    transaction.step = firstStep(after: transaction.stationsBefore)
    transaction.since = now
    return .step
  }

  private mutating func reach(
    _ station: AccountPolicy.Station, _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    if let end = station.desk.end { return self.end(end, &transaction) }
    transaction.step = .account(.station(station))
    transaction.since = now
    return .step
  }

  private mutating func answer(
    _ station: AccountPolicy.Station, _ body: JSONValue, at path: String,
    _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    let visit = StationVisit(account: transaction.account, since: transaction.since ?? now)
    switch station.desk.answer(body, at: path, in: &self, visit) {
    case .passed: return pass(&transaction)
    case .passedWithout(let scopes):
      transaction.refusedScopes.formUnion(scopes)
      return pass(&transaction)
    case .stays(let outcome): return outcome
    case .ends(let end): return self.end(end, &transaction)
    }
  }
}
