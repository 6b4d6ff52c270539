public import IDX
public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Asks a person: at a terminal, in a window, or by a script in a test.
///
/// The built-in handlers use it, so that they serve every front-end. A conforming type must:
/// - reply to each question, after any time; it may check an answer and ask again itself;
/// - throw `CancellationError` when the task is cancelled or the person gives up;
/// - show server text only as text, whatever it contains.
///
/// A prompter that knows one answer and cancels otherwise:
///
///     struct AdaAnswers: Prompter {
///       func show(_ notice: Notice) async throws {}
///       func ask(_ question: Question) async throws -> Reply {
///         question.path == "identifier" ? .answer("ada@example.com") : .cancel
///       }
///       func choose(_ forms: [Remediation], at step: Step) async throws -> Reply { .cancel }
///     }
public protocol Prompter: Sendable {
  /// Shows what a step is about, before its questions.
  func show(_ notice: Notice) async throws

  /// Asks one question and waits for the reply.
  ///
  /// If a link, for example in an email, has meanwhile opened the app, the reply may be
  /// ``Reply/returned(_:)``: the sign-in continues with what the link brought.
  func ask(_ question: Question) async throws -> Reply

  /// Lets the person choose one of several forms, if a step has nothing to fill in, took too long, or
  /// cannot be done here.
  ///
  /// The reply is ``Reply/instead(_:)`` with one of the forms, or ``Reply/cancel``.
  func choose(_ forms: [Remediation], at step: Step) async throws -> Reply

  /// Shows that the server waits for something that the person does elsewhere, until the task is
  /// cancelled.
  ///
  /// It returns earlier only if the person wants something else: ``Reply/instead(_:)`` with one of the
  /// step's ``Step/alternatives``, or ``Reply/cancel``. By default, nothing is shown.
  func wait(at step: Step) async throws -> Reply

  /// Asks whether to start over, when the server offers nothing more and there are no tokens.
  ///
  /// False by default.
  func startsOver(after state: FlowState) async throws -> Bool

  /// Opens a web page in a browser, and replies ``Reply/returned(_:)`` with the address that the browser
  /// returned to.
  ///
  /// ``Reply/instead(_:)`` and ``Reply/cancel`` are possible too. ``Reply/nothing``, the default, means
  /// that there is no browser.
  func open(_ page: RedirectPage) async throws -> Reply
}

extension Prompter {
  /// Waits and shows nothing.
  public func wait(at step: Step) async throws -> Reply {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// Does not start over.
  public func startsOver(after state: FlowState) async throws -> Bool { false }

  /// Replies that there is no browser.
  public func open(_ page: RedirectPage) async throws -> Reply { .nothing }
}

/// Something to show to the person.
public enum Notice: Sendable {
  /// A step begins, or is repeated after a refusal: its title and the server's messages.
  case step(Step)
  /// The key for an authenticator app.
  case authenticatorApp(AuthenticatorApp)
  /// Why the person cannot do the step here.
  case unsupported(UnsupportedStep)
  /// Something failed, and the sign-in continues; one sentence.
  case problem(String)
}

/// One question of a form.
public struct Question: Sendable {
  /// How a question is answered.
  public enum Kind: Sendable {
    /// With a line of text.
    case text
    /// With a line of text that must not be visible.
    case secret
    /// With yes or no.
    case confirmation
    /// With one of the options, or with one of the forms beside them, which replaces the answer.
    case choice([Remediation.Field.Option], beside: [Remediation])
  }

  /// The dotted path of the field.
  public let path: String
  /// The field.
  public let field: Remediation.Field
  /// How the question is answered.
  public let kind: Kind
  /// The step of the question.
  public let step: Step
  /// The value of an empty line.
  public let suggestion: JSONValue?
  /// Why the last answer was refused.
  public let problem: InvalidAnswers.Problem?
  /// Whether the question asks for a hidden text a second time, to detect typing errors.
  public let isRepetition: Bool
  /// Whether the sign-in cannot continue without an answer.
  ///
  /// If the server does not say, this is true for secrets, for the username, and for the only question
  /// of a form.
  public let isRequired: Bool

  /// Creates a question.
  public init(
    path: String, field: Remediation.Field, kind: Kind, step: Step, isRequired: Bool? = nil,
    suggestion: JSONValue? = nil, problem: InvalidAnswers.Problem? = nil,
    isRepetition: Bool = false
  ) {
    self.path = path
    self.field = field
    self.kind = kind
    self.step = step
    self.isRequired = isRequired ?? field.isRequired
    self.suggestion = suggestion
    self.problem = problem
    self.isRepetition = isRepetition
  }
}

/// A person's reply.
public enum Reply: Sendable {
  /// An answer to the question.
  case answer(Answer)
  /// No answer: an optional field is omitted, and a default stays.
  case nothing
  /// Another form instead of this one: one of the step's ``Step/alternatives``.
  case instead(Remediation)
  /// The address that a browser returned to.
  case returned(URL)
  /// Cancel the sign-in.
  case cancel
}

// The address that a browser returns to contains a code.
extension Reply: Redacted {
  /// The kind of reply, without the answer or the address.
  public var description: String {
    switch self {
    case .answer(let answer): "\(answer)"
    case .nothing: "nothing"
    case .instead(let form): "instead \(form.name)"
    case .returned: "an address"
    case .cancel: "cancel"
    }
  }
}

/// The key for an authenticator app that is being set up.
public struct AuthenticatorApp: Sendable {
  /// The name of the app.
  public let name: String
  /// The key and its parameters, for a QR code; nil if the server sends only an image.
  public let uri: OTPAuthURI?
  /// The server's image of the QR code.
  public let image: IDXAuthenticator.Image?

  /// Creates the key of an app.
  public init(name: String, uri: OTPAuthURI?, image: IDXAuthenticator.Image?) {
    self.name = name
    self.uri = uri
    self.image = image
  }

  /// The key in a step; nil if there is none.
  init?(_ step: Step) {
    guard let authenticator = step.authenticator, let password = authenticator.oneTimePassword
    else { return nil }
    let issuer =
      step.state.configuration.issuer.host ?? step.state.configuration.issuer.absoluteString
    self.init(
      name: authenticator.displayName ?? "the authenticator app",
      uri: password.sharedSecret.map {
        OTPAuthURI(
          issuer: issuer, account: step.response.user?.identifier ?? "", secret: $0)
      },
      image: password.image)
  }
}

/// A web page that the person must open in a browser: an identity provider, a smart card, or a proof of
/// identity.
public struct RedirectPage: Sendable {
  /// The step of the page.
  public let step: Step
  /// The address.
  public let url: URL

  /// Creates a page of a step.
  public init(_ url: URL, of step: Step) {
    self.url = url
    self.step = step
  }

  /// The address that the browser returns to: the redirect URI of the app.
  public var redirectURI: String { step.state.configuration.redirectURI ?? "" }

  /// Whether an address belongs to this sign-in: it is the redirect URI, and its `state` is ours.
  ///
  /// A listener must ignore all other addresses, because any program or web page can request one.
  public func isReturn(_ url: URL) -> Bool { RedirectReturn.belongs(url, to: step.state) }
}

// The query may contain the token of the sign-in.
extension RedirectPage: Redacted {
  /// The host and the path.
  public var description: String { "\(url.host ?? "")\(url.path(percentEncoded: true))" }
}
