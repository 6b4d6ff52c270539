/// The paths of Okta's endpoints: which parts of a path a recording keeps.
enum KnownPaths {
  /// What a recording does with a part of a path.
  enum Part: Hashable {
    case kept
    /// Nothing known has this place; `mayBeName` if it could be the name of a new step.
    case replaced(mayBeName: Bool)
  }

  /// What to do with each part of a path, without the slashes.
  static func parts(of path: [String]) -> [Part] {
    var places = [root]
    var isBelowSteps = false
    return path.map { part in
      // An empty part, as at the beginning, says nothing.
      if part.isEmpty { return .kept }
      let mayBeName = isBelowSteps
      let next = places.compactMap { $0.next[part] }
      isBelowSteps = isBelowSteps || next.contains { $0.isSteps }
      let below = next + places.compactMap { $0.next["*"] }
      places = below
      return next.isEmpty ? .replaced(mayBeName: mayBeName && below.isEmpty) : .kept
    }
  }

  /// A place in the tree of paths.
  private struct Place {
    var next: [String: Place] = [:]
    /// Whether the parts below are names of steps of Identity Engine.
    var isSteps = false

    mutating func add(_ parts: ArraySlice<Substring>, isSteps: Bool) {
      guard let first = parts.first else {
        self.isSteps = self.isSteps || isSteps
        return
      }
      next[String(first), default: Place()].add(parts.dropFirst(), isSteps: isSteps)
    }
  }

  /// All paths, without the slash at the beginning.
  static let all: [String] = {
    let servers = ["oauth2", "oauth2/default", "oauth2/*"].flatMap { server in
      endpoints.split(whereSeparator: \.isWhitespace).map { "\(server)/\($0)" }
    }
    return paths.split(whereSeparator: \.isWhitespace).map(String.init) + servers
  }()

  private static let root: Place = {
    var root = Place()
    for path in all { root.add(path.split(separator: "/")[...], isSteps: path == "idp/idx") }
    return root
  }()

  /// The endpoints of an authorization server.
  private static let endpoints = """
    .well-known/openid-configuration .well-known/oauth-authorization-server v1/authorize
    v1/authorize/callback v1/bc/authorize v1/challenge v1/clients v1/device/authorize v1/interact
    v1/introspect v1/keys v1/logout v1/oob-authenticate v1/par v1/primary-authenticate v1/revoke
    v1/token v1/userinfo
    """

  /// All other paths; `*` is an ID.
  private static let paths = """
    .well-known/okta-organization .well-known/openid-configuration
    .well-known/oauth-authorization-server
    idp/idx
    idp/idx/authenticators/nfc/launch idp/idx/authenticators/okta-verify/launch
    idp/idx/authenticators/poll/cancel idp/idx/authenticators/webauthn/enrollresidentkey
    idp/idx/authenticators/webauthn/launch idp/idx/authenticators/passkeys/launch
    idp/idx/authenticators/sso_extension/transactions/*/verify/cancel
    idp/idx/cancel idp/idx/challenge/answer/webauthn-autofillui idp/idx/challenge/poll
    idp/idx/challenge/resend idp/idx/challenge/send idp/idx/consent idp/idx/context
    idp/idx/credential/enroll idp/idx/device/activate idp/idx/enroll/new idp/idx/enroll/update
    idp/idx/identify/select idp/idx/introspect idp/idx/keep-me-signed-in idp/idx/poll
    idp/idx/recover idp/idx/request-activation idp/idx/skip idp/idx/unlock-account
    idp/device/*/challenge idp/identity-verification idp/authenticators/*
    login/token/redirect login/default login/sessionCookieRedirect login/callback
    sso/idps/* sso/saml2/* app/UserHome error.html callback
    api/v1/authn/cancel api/v1/authn/skip api/v1/authn/previous api/v1/authn/introspect
    api/v1/authn/credentials/change_password api/v1/authn/credentials/reset_password
    api/v1/authn/recovery/answer api/v1/authn/recovery/password api/v1/authn/recovery/token
    api/v1/authn/recovery/unlock api/v1/authn/recovery/factors/SMS/verify
    api/v1/authn/recovery/factors/SMS/resend api/v1/authn/recovery/factors/CALL/verify
    api/v1/authn/recovery/factors/CALL/resend api/v1/authn/recovery/factors/EMAIL/verify
    api/v1/authn/recovery/factors/EMAIL/resend
    api/v1/authn/factors/*/verify/resend api/v1/authn/factors/*/lifecycle/activate/poll
    api/v1/authn/factors/*/lifecycle/activate/sms api/v1/authn/factors/*/lifecycle/activate/email
    api/v1/authn/factors/*/lifecycle/resend api/v1/authn/factors/*/transactions/*/verify
    api/v1/authn/factors/*/qr/*
    api/v1/users/*/factors/*/qr/* api/v1/users/*/factors/questions api/v1/factors/questions
    api/v1/factors/qr/* api/v1/sessions/me
    oauth2/*
    """
}
