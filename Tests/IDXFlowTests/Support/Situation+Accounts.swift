import IDX
import IDXFlow
import IDXTesting

// Accounts, and all steps that are about no authenticator.
extension Situation {
  private static let newPassword: [ScriptedReply] = [
    .passcode("Mechanism-1831"), .passcode("Mechanism-1831"),
  ]

  private static let profile: [ScriptedReply] = [
    .answer("userProfile.firstName", "Mary"), .answer("userProfile.lastName", "Somerville"),
    .answer("userProfile.email", "mary@example.com"), .answer("userProfile.country", "GB"),
    .answer("userProfile.newsletter", true), .nothing("userProfile.nickname"),
  ]

  private static let sessions = ScriptedReply.answer("credentials.revokeSessions", true)

  private static let login = ScriptedReply.answer("identifier", .text(Scene.login))

  static let accounts: [Situation] = [
    Situation("recover", goal: .recover) { [login, $0.mailed()] + newPassword + [sessions] },
    Situation("recover-question", goal: .recover) { _ in
      [login, .authenticator(.securityQuestion), .answer("credentials.answer", "Difference")]
        + newPassword + [sessions]
    },
    Situation("recover-phone", goal: .recover) {
      [login, .answer("authenticator.methodType", "sms"), $0.mailed()]
        + [.answer("credentials.answer", "Difference")] + newPassword + [sessions]
    },
    Situation(
      "unlock", .message("oie.selfservice.unlock_user.success.message"), goal: .unlock
    ) { [login, .authenticator(.email), $0.mailed()] },
    Situation(
      "locked-shown", .message("oie.selfservice.unlock_user.success.message"), goal: .unlock
    ) { [login, .authenticator(.email), $0.mailed()] },
    Situation("register", goal: .register) { _ in
      profile + [.authenticator(.password)] + newPassword + [.instead("authenticator", .skip)]
    },
    Situation("register-password", goal: .register) { _ in profile + newPassword },
    Situation(
      "register-verify-mail", .message("idx.email.verification.required"), goal: .register
    ) { _ in profile },
    .signingIn("progressive-profile") { _ in [.answer("userProfile.department", "Numbers")] },
    .signingIn("profile-update") { _ in
      [
        .nothing("userProfile.nickname"), .nothing("userProfile.secondEmail"),
        .answer("userProfile.city", "London"),
      ]
    },
    .signingIn("password-expired") { _ in newPassword },
    .signingIn("password-expiring") { _ in newPassword },
    .signingIn("password-elsewhere", .givenUp(.passwordElsewhere)) { _ in
      [.cancel("reenroll-custom-password-expiry")]
    },
    .signingIn("password-elsewhere-warning") { _ in
      [.instead("reenroll-custom-password-expiry-warning", .skip)]
    },
    .signingIn("consent") { _ in [.answer("consent", true)] },
    .signingIn("admin-consent") { _ in [.answer("consent", true)] },
    .signingIn("granular-consent") { _ in
      [
        .answer("consent", true), .answer("optedScopes.email", true),
        .answer("optedScopes.plan", true), .answer("optedScopes.plan.details", false),
      ]
    },
    .signingIn("email-consent") { _ in [.answer("consent", true)] },
    .signingIn("keep-me-signed-in") { _ in [.answer("keepMeSignedIn", true)] },
    .signingIn("grace-period") { _ in
      [.instead("device-assurance-grace-period", .deviceAssuranceGracePeriod)]
    },
    .signingIn("safe-mode"),
    Situation("device-code", .message("idx.device.activated")) { _ in
      [.answer("userCode", "WDJB-MJHT")] + ScriptedReply.entry + [.answer("consent", true)]
    },
    Situation("activation-expired", .message("idx.request.activation.email")) { _ in
      [.instead("request-activation-email", .requestActivationEmail)]
    },
    Situation("idp") { [.instead("identifier", .redirectIdP), $0.visiting()] },
    Situation("idp-only") { [$0.visiting()] },
    .signingIn("idp-factor") { [$0.visiting()] },
    Situation("idp-more-steps") {
      [.instead("identifier", .redirectIdP), $0.visiting(), $0.mailed()]
    },
    Situation("smart-card") {
      [.instead("identifier", .smartCard), $0.visiting(.smartCard)]
    },
    .signingIn("identity-proofing") { [$0.visiting(.redirectIdVerify)] },
    Situation("device-challenge") { _ in ScriptedReply.entry },
    .signingIn("fastpass"),
    Situation("apple-sso") { _ in
      ScriptedReply.entry
    },
    Situation("captcha") { [.instead("identify", .redirectIdP), $0.visiting()] },
    .signingIn("denied", .message("security.access_denied")),
    .signingIn("denied-final", .message("security.access_denied")),
    .signingIn("done", .message("idx.transferred.to.new.tab")),
    .signingIn("locked", .givenUp(nil)) { _ in [.cancel("credentials.passcode")] },
  ]
}
