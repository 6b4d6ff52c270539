import IDXBase
import IDXOAuth

extension LoopbackChallenge {
  /// The reply of Okta Verify, or why it could not be asked.
  ///
  /// Call it at once if ``Screen/startsByItself``, otherwise when the person chooses the main action; meanwhile, show
  /// ``Screen/waitingForOktaVerify``.
  public func reply(from provider: any FastPassProvider) async throws -> Reply {
    do { return .fastPass(try await provider.pass(self)) } catch let error as FlowError {
      return .failed(error.message)
    }
  }

  /// The challenge as JSON, for the script of a web page: `request`, `addresses`, and the times `probeTimeout` and
  /// `answerTimeout` in milliseconds.
  ///
  /// The addresses are the ``/IDXFlow/LoopbackChallenge/localAddresses``, because a page cannot check where a name
  /// leads.
  ///
  /// It must request `/probe` of the addresses one after the other, and post `{"challengeRequest": …}` to `/challenge`
  /// of the first one that responds.
  public var json: String { members.text }

  /// The members of ``json``.
  var members: JSONValue {
    [
      "request": .string(request.revealed),
      "addresses": .array(localAddresses.map { .string($0.absoluteString) }),
      "probeTimeout": .milliseconds(probeTimeout),
      "answerTimeout": .milliseconds(Self.answerTimeout),
    ]
  }
}

extension Reply {
  /// The reply that a web page sends after it has asked Okta Verify: `{"result": …}` with `delivered`, `unreachable` or
  /// `refused`, which can have the HTTP `status`; nil if it is damaged.
  public init?(fastPassJSON text: String) {
    guard let json = try? JSONValue(parsing: text.utf8) else { return nil }
    self.init(fastPass: json)
  }

  /// Reads ``init(fastPassJSON:)``.
  init?(fastPass json: JSONValue) {
    switch json["result"]?.string {
    case "delivered": self = .fastPass(.delivered)
    case "unreachable": self = .fastPass(.unreachable)
    case "refused":
      let status = json["status"]?.integer.flatMap { (100...599).contains($0) ? $0 : nil }
      self = .fastPass(.refused(status: status))
    default: return nil
    }
  }
}

extension Screen {
  /// The screen to show while Okta Verify is asked and the person continues there.
  ///
  /// The options can be chosen meanwhile; the main action only waits.
  public var waitingForOktaVerify: Screen {
    var screen = self
    screen.title = words.sentence("fastpass.wait.title")
    (screen.messages, screen.notes, screen.lists) = ([], [], [])
    screen.wait = Wait(text: words.sentence("fastpass.wait"))
    screen.action = .main(.wait, words.sentence("wait.action"))
    return screen
  }
}
