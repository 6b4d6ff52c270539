import Foundation
import IDX
import IDXBase

extension AccountPolicy {
  /// A step of a sign-in to a ``SimulatedOrg`` that is not about an authenticator.
  ///
  /// A policy lists those before the username (``AccountPolicy/beforeIdentify``) and those after the
  /// authenticators (``AccountPolicy/afterFactors``).
  public enum InterstitialStep: Sendable, Hashable {
    /// How Okta Verify on a device is asked.
    public enum DeviceMethod: Sendable, Hashable, CaseIterable {
      /// Through a local server of Okta Verify.
      case loopback
      /// Through a URL that opens Okta Verify.
      case customURI
    }

    /// The user types the code that a device shows (RFC 8628); case and hyphens are ignored.
    case userCode(String)
    /// The org accepts no sign-ins for this number of seconds in its time, and the client polls.
    case safeMode(seconds: Int)
    /// The link of an activation email has expired; another email can be requested.
    case activationExpired
    /// A search for Okta Verify on this device, which the org ends after ten seconds, or after a minute if a link must
    /// be opened.
    case deviceChallenge(DeviceMethod)
    /// Apple's extension for single sign-on must answer; the step can be canceled.
    case appleSignOn
    /// The app asks for these scopes; the user allows all or none.
    case consent(scopes: [String])
    /// An administrator allows these scopes for everyone.
    case adminConsent(scopes: [String])
    /// The app asks for these scopes; the user can refuse each one except `openid`.
    case granularConsent(scopes: [String])
    /// The question whether the user requested the email.
    case emailConsent
    /// The question whether to stay signed in.
    case keepMeSignedIn
    /// The device does not meet all requirements, but is accepted for some days.
    case gracePeriod
    /// One more attribute of the profile is required.
    case profile
    /// Three more attributes of the profile are optional.
    case profileUpdate
    /// Identity verification in a browser.
    case identityProofing
    /// The device with the user code can sign in: a final step.
    case deviceActivated
    /// Access is denied; the user can start over if `isFinal` is false.
    case denial(isFinal: Bool)
    /// The sign-in continued in another tab: a final step.
    case finishedElsewhere
    /// The page behind an email's link in another browser: a final step that shows the code.
    case linkLanding(code: String)
  }

  /// The OAuth error for a protocol that cannot show the steps: consent is needed, or access is denied.
  var refusalWithoutSteps: (code: String, description: String)? {
    for step in afterFactors {
      switch step {
      case .consent, .adminConsent, .granularConsent:
        return ("consent_required", "Consent in a browser is required first.")
      case .denial: return ("access_denied", Message.accessDenied.text)
      default: continue
      }
    }
    return nil
  }
}

/// The forms of an interstitial step, and the effects of their answers.
struct StepSpec {
  struct StepForm {
    /// The path under `/idp/idx`; empty for a page in a browser.
    var path = ""
    let draft: Form
    var effect = Effect.next
    /// Whether it is a remediation; if not, it is inside another member.
    var isRemediation = true
  }

  /// The effect of an answer.
  enum Effect {
    /// The sign-in continues.
    case next
    /// The sign-in continues after this number of seconds.
    case wait(TimeInterval)
    /// The sign-in continues if the answer has this code.
    case check(userCode: String)
    /// The sign-in continues if the user consents. Refused scopes are not in the tokens.
    case consent(scopes: [String])
    /// The attributes are saved, and the sign-in continues.
    case save(ProfileForm)
    case refuse(Message, status: Int)
    case end(FinalStep)
  }

  var forms: [StepForm] = []
  var messages: [Message] = []
  var members: JSONValue = [:]
}

extension AccountPolicy.InterstitialStep {
  /// To add a step, add a case and its spec.
  func spec(in document: OrgDocument) -> StepSpec {
    func form(
      _ name: Remediation.Name, _ path: String, _ fields: [Field] = [],
      refresh: Duration? = nil, adding member: (name: String, value: JSONValue)? = nil,
      leadsTo effect: StepSpec.Effect = .next
    ) -> StepSpec.StepForm {
      let draft = document.form(name, path, fields, refresh: refresh)
      return StepSpec.StepForm(
        path: path, draft: member.map { draft.adding($0.name, $0.value) } ?? draft, effect: effect)
    }
    let handle = document.signIn.handle
    let consent = Field("consent", type: .boolean, isRequired: true).adding(
      "options", [["label": "Allow", "value": true], ["label": "Do not allow", "value": false]])

    switch self {
    case .userCode(let code):
      let field = Field("userCode", label: "Activation code").without("required")
      return StepSpec(
        forms: [form(.userCode, "/device/activate", [field], leadsTo: .check(userCode: code))])
    case .safeMode(let seconds):
      return StepSpec(
        forms: [form(.poll, "/poll", refresh: .seconds(2), leadsTo: .wait(TimeInterval(seconds)))],
        messages: [.safeMode])
    case .activationExpired:
      return StepSpec(
        forms: [
          form(.requestActivationEmail, "/request-activation", leadsTo: .end(.activationMailed))
        ], messages: [.expiredActivation])
    case .deviceChallenge(let method):
      let cancel = form(.cancelPolling, "/authenticators/poll/cancel")
      let poll = form(
        .deviceChallengePoll, "/authenticators/poll", refresh: .seconds(2),
        adding: ("relatesTo", ["authenticatorChallenge"]),
        leadsTo: .wait(method == .loopback ? 10 : 60))
      return StepSpec(
        forms: [
          poll, StepSpec.StepForm(path: cancel.path, draft: cancel.draft, isRemediation: false),
        ],
        members: [
          "authenticatorChallenge": .single(
            method.challenge(in: document).adding(
              "cancel", cancel.draft.json))
        ])
    case .appleSignOn:
      let transaction = OrgSettings.id("ft", handle)
      let path = "/authenticators/sso_extension/transactions/\(transaction)/verify"
      return StepSpec(forms: [
        form(
          .deviceAppleSSOExtension, path,
          [.init(fixed: "challengeRequest", .string(OrgSettings.id("ey", handle)))],
          leadsTo: .refuse(.noExtension, status: 401)), form(.cancelTransaction, path + "/cancel"),
      ])
    case .consent(let scopes), .adminConsent(let scopes):
      let isAdmin = if case .adminConsent = self { true } else { false }
      return StepSpec(forms: [
        form(
          isAdmin ? .adminConsent : .consent, "/consent", [consent],
          adding: ("scopes", .array(scopes.map(Self.json(ofScope:)))), leadsTo: .consent(scopes: [])
        )
      ])
    case .granularConsent(let scopes):
      let fields = scopes.map { scope in
        Field(scope, label: Self.label(of: scope), type: .boolean, isRequired: true, value: true)
          .adding("mutable", .bool(scope != "openid"))
      }
      let opted = Field("optedScopes", form: fields).without("required", "type")
      let hidden = Field("consent", type: .boolean, isRequired: true, isVisible: false)
      return StepSpec(forms: [
        form(.granularConsent, "/consent", [hidden, opted], leadsTo: .consent(scopes: scopes))
      ])
    case .emailConsent:
      let info: JSONValue = [
        ["name": "app", "label": "App", "value": "Demo app"],
        ["name": "browser", "label": "Browser", "value": "Firefox on Linux"],
        ["name": "location", "label": "Place", "value": "London, United Kingdom"],
      ]
      return StepSpec(forms: [
        form(
          .emailChallengeConsent, "/consent", [consent], adding: ("requestInfo", info),
          leadsTo: .consent(scopes: []))
      ])
    case .keepMeSignedIn:
      let field = Field(
        "keepMeSignedIn", label: "Stay signed in?", type: .boolean, isRequired: true, value: false)
      return StepSpec(forms: [form(.keepMeSignedIn, "/keep-me-signed-in", [field])])
    case .gracePeriod:
      return StepSpec(
        forms: [form(.deviceAssuranceGracePeriod, "/skip")], messages: Message.gracePeriod)
    case .profile:
      let profile = ProfileForm.progressive
      return StepSpec(forms: [
        form(.enrollProfile, "/enroll/update", [profile.field], leadsTo: .save(profile))
      ])
    case .profileUpdate:
      let profile = ProfileForm.optional
      return StepSpec(forms: [
        form(.profileUpdate, "/enroll/new", profile.separateFields, leadsTo: .save(profile)),
        form(.skip, "/skip"),
      ])
    case .identityProofing:
      let id = OrgSettings.id("", handle, "proof")
      let page = Form(
        .redirectIdVerify,
        page: document.settings.origin + "/idp/identity-verification?stateTokenExternalId=" + id
      ).adding("type", "ID_PROOFING").adding("idp", ["id": "IDV_PERSONA", "name": "Persona"])
      return StepSpec(forms: [StepSpec.StepForm(draft: page)])
    case .deviceActivated, .denial, .finishedElsewhere, .linkLanding: return StepSpec()
    }
  }

  /// The final step; nil if the step has something to answer.
  var finalStep: FinalStep? {
    switch self {
    case .deviceActivated: .deviceActivated
    case .denial(let isFinal): .denied(isFinal: isFinal)
    case .finishedElsewhere: .finishedElsewhere
    case .linkLanding(let code): .linkLanding(code: code)
    default: nil
    }
  }

  private static func json(ofScope scope: String) -> JSONValue {
    [
      "name": .string(scope), "label": .string(label(of: scope)), "value": .string(scope),
      "desc": .string("The app wants to: \(label(of: scope).lowercased())."),
    ]
  }

  private static func label(of scope: String) -> String {
    switch scope {
    case "openid": "Know who you are"
    case "profile": "View your profile"
    case "email": "View your email address"
    case "phone": "View your phone number"
    case "address": "View your address"
    default: "Use \(scope)"
    }
  }
}

extension AccountPolicy.InterstitialStep.DeviceMethod {
  /// The challenge with the request of the step.
  func challenge(in document: OrgDocument) -> JSONValue {
    let request = document.signIn.deviceRequest?.text ?? ""
    let ports = document.settings.policy.accounts.oktaVerifyPorts.map { JSONValue.string("\($0)") }
    return switch self {
    case .loopback:
      [
        "challengeMethod": "LOOPBACK", "challengeRequest": .string(request),
        "domain": "http://localhost", "ports": .array(ports),
        // Longer than at real orgs, so that Okta Verify is found on a busy machine too.
        "probeTimeoutMillis": 900,
      ]
    case .customURI:
      [
        "challengeMethod": "CUSTOM_URI", "challengeRequest": .string(request),
        "href": .string("com-okta-authenticator:/deviceChallenge?challengeRequest=\(request)"),
        "downloadHref": "https://apps.example.com/authenticator",
      ]
    }
  }
}

/// The end of a sign-in without tokens; the user may be able to start over.
struct FinalStep: Sendable {
  let messages: [Message]
  /// The status of the first response; later ones have 200.
  var status = 200
  /// Whether the user can start over.
  var hasCancel = true
  /// Whether the policy refuses the user, so that a browser returns an error to the app.
  var isRefusal = false
  var members: JSONValue = [:]

  static let consentDenied = FinalStep(messages: [.consentDenied], status: 403)
  static let recovered = FinalStep(messages: [.recovered])
  static let unlocked = FinalStep(messages: [.unlocked])
  static let mailToVerify = FinalStep(messages: [.mailToVerify], hasCancel: false)
  static let activationMailed = FinalStep(messages: [.activationMailed])
  static let deviceActivated = FinalStep(messages: [.deviceActivated], hasCancel: false)
  static let finishedElsewhere = FinalStep(messages: [.finishedElsewhere], hasCancel: false)

  static func denied(isFinal: Bool) -> FinalStep {
    FinalStep(messages: [.accessDenied], status: 403, hasCancel: !isFinal)
  }

  /// The page behind an email's link, in a browser without the sign-in.
  static func linkLanding(code: String) -> FinalStep {
    let client: JSONValue = [
      "browser": "Firefox", "os": "Linux",
      "location": ["city": "London", "country": "United Kingdom"],
    ]
    let email = OrgAuthenticator[.email]?.draft(members: ["contextualData": ["otp": .string(code)]])
    let members: JSONValue = ["client": .single(client)]
    return FinalStep(
      messages: [.codeForOtherTab],
      members: members.adding("currentAuthenticator", email.map { .single($0.json) }))
  }
}
