public import IDX
public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a person sees and can do at one moment of a sign-in, for a front-end of any kind.
///
/// A screen is made from a ``/IDXFlow/Step``; it holds no client, and showing it changes nothing. Its texts
/// have one line and no control characters, except those of messages, which can have line breaks; show
/// them only as text. A handler may change a screen before it is shown.
///
/// ## Topics
///
/// ### Texts
/// - ``title``
/// - ``guidance``
/// - ``host``
/// - ``Person-swift.struct``
/// - ``person-swift.property``
/// - ``Message``
/// - ``messages``
/// - ``messageInputID``
/// - ``notes``
/// - ``List``
/// - ``lists``
/// - ``words``
///
/// ### Inputs
/// - ``Input``
/// - ``Choice``
/// - ``inputs``
/// - ``visibleInputs(with:)``
/// - ``choiceRows-swift.property``
/// - ``ChoiceRows-swift.struct``
/// - ``ChoiceRow``
/// - ``pageOptions``
/// - ``pressableRows``
/// - ``pressedInputIDs``
/// - ``isFirst``
///
/// ### Actions
/// - ``Option``
/// - ``action``
/// - ``Consent-swift.struct``
/// - ``consent-swift.property``
/// - ``options``
/// - ``quitID``
///
/// ### Authenticator apps
/// - ``setUp``
/// - ``userCode``
/// - ``userCodeModules``
///
/// ### Waiting
/// - ``Wait-swift.struct``
/// - ``wait-swift.property``
///
/// ### Pages in a browser
/// - ``Page-swift.struct``
/// - ``page-swift.property``
/// - ``dangerOfPage``
/// - ``isReturn(_:)``
///
/// ### Passkeys
/// - ``PasskeyRequest``
/// - ``passkey``
/// - ``autoFillPasskey``
///
/// ### Okta Verify on the same device
/// - ``deviceChallenge``
/// - ``link``
/// - ``waitingForOktaVerify``
///
/// ### What a front-end must know
/// - ``startsByItself``
/// - ``unsupported``
/// - ``attempt``
/// - ``number``
/// - ``step``
///
/// ### Checking a reply
/// - ``answers(with:)``
/// - ``decision(on:)``
/// - ``problem(with:for:among:)``
/// - ``refused(_:because:)``
///
/// ### A front-end in another language
/// - ``json``
/// - ``jsonVersion``
///
/// ### Making a screen
/// - ``init(_:prominent:)``
/// - ``init(end:words:)``
/// - ``init(title:host:action:attempt:words:)``
/// - ``description``
public struct Screen: Sendable, Hashable {
  /// A message for the person.
  public struct Message: Sendable, Hashable {
    /// The severity, such as an error.
    public var kind: IDXMessage.Kind
    /// The text; it may have several lines.
    public var text: String
    /// The pages that the message is about, such as instructions.
    ///
    /// The server chooses them: show each address whole. Those that must not be opened are left out.
    public var links: [IDXMessage.Link] = []

    /// Creates a message.
    public init(_ kind: IDXMessage.Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }
  }

  /// Several things of one kind, such as what an app wants to be allowed.
  public struct List: Sendable, Hashable {
    /// What the items are, with a colon at its end.
    public var title: String
    /// The items, one line each.
    public var items: [String]

    /// Creates a list.
    public init(title: String, items: [String]) {
      self.title = title
      self.items = items
    }
  }

  /// A yes or no that answers the whole screen, such as whether an app gets access.
  public struct Consent: Sendable, Hashable {
    /// The input of the answer, whose values are `true` and `false`.
    public var inputID: Input.ID
    /// What a button for `true` says.
    public var allow: String
    /// What a button for `false` says.
    public var deny: String

    /// Creates a consent.
    public init(inputID: Input.ID, allow: String, deny: String) {
      self.inputID = inputID
      self.allow = allow
      self.deny = deny
    }
  }

  /// What the server waits for while the screen is shown.
  ///
  /// The engine polls the server. There is news if the next step, the person's authenticator, the number
  /// or the messages change.
  public struct Wait: Sendable, Hashable {
    /// The reason, without punctuation at its end.
    public var text: String
    /// The number to choose on the phone; nil if the push needs none.
    public var number: String?
    /// What to do with the number, as a sentence that contains it; nil without a number.
    public var instruction: String?
    /// When the engine gives up; nil if it does not.
    public var end: Date?
    /// The time between two polls.
    public var interval: Duration
    /// The form that is polled; nil if the step says that.
    var form: Remediation?

    /// Creates a wait.
    public init(
      text: String, number: String? = nil, instruction: String? = nil, end: Date? = nil,
      interval: Duration = .seconds(4)
    ) {
      self.text = text
      self.number = number
      self.instruction = instruction
      self.end = end
      self.interval = interval
    }
  }

  /// A page to open in a browser.
  public struct Page: Sendable, Hashable {
    /// The address of the page.
    public var url: URL
    /// The address that the browser returns to.
    public var redirectURI: String

    /// Creates a page.
    public init(url: URL, redirectURI: String) {
      self.url = url
      self.redirectURI = redirectURI
    }
  }

  /// Who is signing in.
  public struct Person: Sendable, Hashable {
    /// The username, such as `ada@example.com`.
    public var username: String
    /// The option with which the sign-in starts over for somebody else; nil if there is none.
    public var changeID: Option.ID?

    /// Creates a person.
    public init(username: String, changeID: Option.ID? = nil) {
      self.username = username
      self.changeID = changeID
    }
  }

  /// A request to a passkey or security key; a later version may add a case.
  public indirect enum PasskeyRequest: Sendable, Hashable {
    /// Create a passkey.
    case create(PasskeyCreationOptions)
    /// Sign a challenge with a passkey.
    case sign(PasskeyRequestOptions)
  }

  /// The step, behind a reference, so that a screen is small.
  private indirect enum Source: Sendable, Hashable {
    case step(Step)
    case other

    var step: Step? { if case .step(let step) = self { step } else { nil } }
  }

  /// The title, such as “Enter your password”.
  public var title: String
  /// What the person does here, in one sentence, such as where a code is; nil if the title is enough.
  ///
  /// It is the package's own, and quotes the server only for a name, an address or a number. A wait with a number has
  /// ``Wait/instruction`` instead.
  public var guidance: String?
  /// The host that gets the answers, with its port if that is unusual: the issuer.
  ///
  /// The server chooses all other texts, so only this says who asks.
  public var host: String
  /// Who is signing in; nil if nobody is known yet, and where the username is asked for.
  ///
  /// Show it on each screen, so that a mistyped username is noticed before a password is sent for it. Password managers
  /// look for it in a hidden field with ``Input/ContentType/username``.
  public var person: Person?
  /// How often the step has been shown: 1, and more after answers that were refused.
  public var attempt: Int
  /// Messages of the server, and problems with the last reply.
  public var messages: [Message] = []
  /// The input whose answer the server has refused with ``messages``, such as those about a wrong password; nil if that
  /// is not certain.
  ///
  /// Many servers say for the whole response that a password or a code is wrong. It is the only input for one.
  public var messageInputID: Input.ID? { inputs.first { $0.id == refusedInputID }?.id }
  /// What the person should know about the step, one text for each line.
  public var notes: [String] = []
  /// What the person should know that is a list.
  public var lists: [List] = []
  /// The fields to fill in, in order; empty if there is nothing to fill in.
  public var inputs: [Input] = []
  /// The input that can be shown as two buttons in place of the main action; nil if there is none.
  ///
  /// It is one of the ``inputs`` too, for a front-end that asks one question after the other.
  public var consent: Consent?
  /// The main action: it sends the inputs, opens the page, uses the passkey, or keeps waiting.
  public var action: Option
  /// What can be done instead, in server order; the last one is to quit.
  public var options: [Option] = []
  /// The authenticator app that is set up on this screen; nil if there is none.
  public var setUp: AuthenticatorApp?
  /// The code that the person enters elsewhere, which is also in the ``notes``; nil if there is none.
  ///
  /// ``userCodeModules`` shows its address to a camera.
  public var userCode: UserCode?
  /// What the server waits for, also beside inputs; nil if it only waits for a reply.
  public var wait: Wait?
  /// The page that the main action opens; nil if it opens none.
  public var page: Page?
  /// The request of the main action to a passkey; nil if it uses none.
  public var passkey: PasskeyRequest?
  /// The request to a passkey that the system may offer while the person fills in the inputs; nil if the
  /// server accepts none.
  ///
  /// Its answer is the reply ``Reply/signed(_:)``.
  public var autoFillPasskey: PasskeyRequestOptions?
  /// The challenge that the main action passes to Okta Verify on this device (Okta FastPass); nil if there is none.
  ///
  /// Its answer is the reply ``Reply/fastPass(_:)``.
  public var deviceChallenge: LoopbackChallenge?
  /// The link that the main action opens in Okta Verify on this device, while the engine polls; nil if there is none.
  ///
  /// It has the scheme `com-okta-authenticator`, or is an https address of the org.
  public var link: URL?
  /// Why the step cannot be done here, so that the main action is an alternative; nil if it can be done.
  public var unsupported: String?
  /// Whether a front-end may open the page or use the passkey before the person asks for it.
  ///
  /// False after a failure, because another try could lock the account.
  public var startsByItself = false

  /// The step, for programs that need more of the protocol than people do; nil at the end of a sign-in,
  /// and in previews.
  public var step: Step? { source.step }
  private let source: Source
  /// The words of the texts.
  public let words: Words

  /// Which screen of the sign-in this is, from 1, so that a reply to an old one is noticed; 0 if nothing has shown it
  /// yet.
  ///
  /// Each screen of a ``FlowRun``, and each one of a ``SignInModel``, has its own; on a web site,
  /// it is that of the page (``OpenSignInPage/revision``), counted from 1.
  public internal(set) var number = 0

  /// The input for the secret or the code that the server has refused; nil if it has refused none.
  var refusedInputID: Input.ID?

  /// The answers of the last attempt that were not refused.
  var kept = Answers()

  /// The answers that the settings give in place of the person (``Screens/rememberDevice``); nil if the person gives
  /// all.
  var presets: Answers?

  /// Creates a screen without a step, for a preview or a test.
  public init(
    title: String, host: String, action: Option, attempt: Int = 1, words: Words = .english
  ) {
    self.init(
      title: title, host: host, action: action, attempt: attempt, step: nil, words: words)
  }

  init(
    title: String, host: String, action: Option, attempt: Int, step: Step?, words: Words
  ) {
    self.title = title
    self.host = host
    self.action = action
    self.attempt = attempt
    source = step.map(Source.step) ?? .other
    self.words = words
  }
}

// MARK: - Options

extension Screen {
  /// Something that the person can choose.
  public struct Option: Sendable, Hashable, Identifiable {
    /// The place of an option among the others; an app may meet roles that are added later.
    public struct Role: OpenSet {
      /// The name of the role.
      public let rawValue: String
      /// Creates a role.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Sends the inputs.
      public static let submit: Self = "submit"
      /// Opens the page.
      public static let open: Self = "open"
      /// Uses the passkey.
      public static let passkey: Self = "passkey"
      /// Passes the challenge to Okta Verify on this device.
      public static let fastPass: Self = "fast_pass"
      /// Keeps waiting; nothing has to be done.
      public static let wait: Self = "wait"
      /// Another way to continue.
      public static let alternative: Self = "alternative"
      /// Signs in with an identity provider, whose page the option may name (``Option/page``).
      public static let identityProvider: Self = "identity_provider"
      /// Leaves out what is optional.
      public static let skip: Self = "skip"
      /// Sends a code or a link again.
      public static let resend: Self = "resend"
      /// Goes back.
      public static let back: Self = "back"
      /// Starts the sign-in over.
      public static let startOver: Self = "start_over"
      /// Cancels the sign-in.
      public static let quit: Self = "quit"
    }

    /// The identity: the name of the form, and a number if several forms have it, such as
    /// `redirect-idp#2`; ``Screen/quitID`` to quit.
    ///
    /// The form with the name `cancel` starts the sign-in over; ``role`` says what an option means.
    public let id: String
    /// What the person sees, such as “Verify in another way”.
    public var label: String
    /// What the option does, from which a front-end can decide where to show it.
    public var role: Role
    /// Why a person may want this, such as “Forgot your password?”; nil if there is no text for it.
    public var reason: String?
    /// Whether many people look for it, so that it should be seen at once.
    public var isProminent: Bool
    /// The identity provider that it leads to; nil if it leads to none.
    public var provider: Provider?
    /// The page that a web site can link to in place of a button, such as that of an identity provider; nil if there is
    /// none, or if it must not be opened.
    ///
    /// What the browser brings back is the reply ``Reply/returned(_:)`` to the same screen.
    public var page: URL?

    /// An identity provider outside the org.
    public struct Provider: Sendable, Hashable {
      /// The ID, such as `0oa1b2c3`; nil if the server sent none.
      public var id: String?
      /// The name for people; nil if the server sent none.
      public var name: String?

      /// Creates a provider.
      public init(id: String?, name: String?) { (self.id, self.name) = (id, name) }
    }

    /// Creates an option.
    public init(
      id: String, label: String, role: Role, reason: String? = nil, isProminent: Bool = false
    ) {
      self.id = id
      self.label = label
      self.role = role
      self.reason = reason
      self.isProminent = isProminent
    }
  }
}

// MARK: - Inputs

extension Screen {
  /// A field to fill in.
  public struct Input: Sendable, Hashable, Identifiable {
    /// How a field is filled in; a later version may add a case.
    public enum Kind: Sendable, Hashable {
      /// With a line of text.
      case text
      /// With a line of text that must not be visible.
      case secret
      /// With yes or no, as `true` or `false`.
      case toggle
      /// With the ID of one of these choices.
      case choice([Choice])
    }

    /// What is typed, for keyboards on a screen; the names are those of `inputmode` in HTML.
    public enum Keyboard: String, Sendable, Hashable {
      /// Any text.
      case text
      /// Digits only, as in a code.
      case digits = "numeric"
      /// An email address, also as a username.
      case email
      /// A telephone number.
      case telephone = "tel"
    }

    /// What a text means, for programs that fill it in; the names are those of `autocomplete` in HTML.
    public struct ContentType: OpenSet {
      /// The name in HTML, such as `one-time-code`.
      public let rawValue: String
      /// Creates a meaning from its name in HTML.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The username.
      public static let username: Self = "username"
      /// The current password.
      public static let password: Self = "current-password"
      /// A new password.
      public static let newPassword: Self = "new-password"
      /// A code that is used once.
      public static let oneTimeCode: Self = "one-time-code"
      /// An email address.
      public static let email: Self = "email"
      /// A telephone number.
      public static let telephone: Self = "tel"
      /// The first name.
      public static let givenName: Self = "given-name"
      /// The last name.
      public static let familyName: Self = "family-name"
    }

    /// The identity: the dotted path of the field, and `#repetition` at its end if it repeats a password.
    public let id: String
    /// How the field is filled in.
    public var kind: Kind
    /// What the person sees beside the field, such as “Username”.
    public var label: String
    /// What to enter; nil if the label is enough.
    public var hint: String?
    /// Whether the sign-in cannot continue without it.
    ///
    /// If the server does not say, this is true for secrets, for the username, and for the only field of a
    /// form.
    public var isRequired: Bool
    /// The value to begin with: the default, or what was entered before, unless it was hidden while it was typed.
    public var suggestion: String?
    /// What the text means; nil if that is not known.
    public var contentType: ContentType?
    /// The keyboard that fits: digits for a code that has nothing else.
    public var keyboard: Keyboard {
      switch contentType {
      case .oneTimeCode? where digits != nil: .digits
      case .email?, .username?: .email
      case .telephone?: .telephone
      default: .text
      }
    }
    /// What a text must follow, such as “at least 8 characters”.
    public var rules: [String] = []
    /// Why the last answer was refused; nil if it was not.
    public var problem: String?
    /// The input with a new password that must be entered here again; nil for all other inputs.
    public var repeats: ID?
    /// Whether the last answer is sent again if there is no other: it was right, and another was wrong.
    public var isKept = false
    /// Whether it is for a new password or a PIN with rules that the step knows.
    var hasRules = false
    /// How many digits a code has, so that one that cannot be right uses up no attempt; nil if codes of this
    /// kind can be anything.
    var digits: ClosedRange<Int>?
    /// The field of the form; nil for an input that was not made from one.
    package var field: Remediation.Field?

    /// The value of the input that an answer means; nil if no option has the name or position.
    package func value(for answer: Answer) -> String? {
      guard case .choice(let choices) = kind else {
        return answer.json?.plainText
      }
      let option = field?.option(for: answer)
      let position = option.flatMap { field?.choices.firstIndex(of: $0) }
      let choice = choices.first { $0.position == position }
      // A text that is no choice is what a person may type.
      return choice?.id ?? answer.json?.plainText
    }

    /// The option of the field that a choice stands for; nil if the field has none there.
    package func option(of choice: Choice) -> Remediation.Field.Option? {
      guard let options = field?.choices, options.indices.contains(choice.position) else {
        return nil
      }
      return options[choice.position]
    }

    /// The position of the choice that an answer means; nil if it means none of them.
    func position(ofChoice answer: Answer) -> Int? {
      guard let option = field?.option(for: answer) else { return nil }
      let position = field?.choices.firstIndex(of: option)
      return choices.firstIndex { $0.position == position }
    }

    /// The choices; empty if this is not a choice.
    public var choices: [Choice] { if case .choice(let choices) = kind { choices } else { [] } }

    /// Creates an input.
    public init(
      id: String, kind: Kind, label: String, isRequired: Bool, suggestion: String? = nil,
      contentType: ContentType? = nil
    ) {
      self.id = id
      self.kind = kind
      self.label = label
      self.isRequired = isRequired
      self.suggestion = suggestion
      self.contentType = contentType
    }
  }

  /// One choice of an input.
  public struct Choice: Sendable, Hashable, Identifiable {
    /// The identity: the key of the authenticator or the value, and a number if several have it.
    public let id: String
    /// What the person sees, such as the name of an authenticator.
    public var label: String
    /// The fields to fill in if it is chosen.
    public var inputs: [Input]
    /// The position in the field, from 0.
    package let position: Int

    /// Creates a choice; `position` is its place among the options of the field.
    public init(id: String, label: String, inputs: [Input] = [], position: Int) {
      self.id = id
      self.label = label
      self.inputs = inputs
      self.position = position
    }
  }
}

// The answers that are kept can be passwords.
extension Screen: Redacted {
  /// The title.
  public var description: String { "screen “\(title)”" }
}

extension Screen.Input: Redacted {
  /// The label.
  public var description: String { "input “\(label)”" }
}

// The query may contain the token of the sign-in.
extension Screen.Page: Redacted {
  /// The host and the path.
  public var description: String { "\(url.host ?? "")\(url.path(percentEncoded: true))" }
}
