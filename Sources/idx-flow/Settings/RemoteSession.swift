import Foundation
import IDXBase
import IDXOAuth

/// A redirect URI at which this program listens for the browser: `http://127.0.0.1:8484/callback`.
struct LoopbackRedirect {
  /// The redirect URI that is proposed to a person, and that the documentation sets up.
  static let proposal = "http://127.0.0.1:8484/callback"

  let url: URL
  let port: Int
  /// The address at which the program listens, as ssh can name it.
  let host: String

  /// Nil if the browser cannot return to a program of its own computer.
  init?(_ url: URL) {
    guard Origin(url).isLocalHTTP else { return nil }
    self.url = url
    port = url.port ?? 80
    host = url.host?.contains(":") == true ? "[::1]" : "127.0.0.1"
  }
}

/// A login over ssh, where the browser of the person is on another computer.
struct RemoteSession {
  /// This computer, as ssh can name it.
  let host: String

  /// Nil if the process does not run over ssh.
  ///
  /// The name of this computer is looked up only if it is needed, because that may take long.
  init?(
    _ environment: [String: String], hostName: () -> String = { ProcessInfo.processInfo.hostName }
  ) {
    let connection = environment["SSH_CONNECTION"].flatMap { $0.isEmpty ? nil : $0 }
    guard connection != nil || environment["SSH_TTY"]?.isEmpty == false else { return nil }
    // The third word is the address at which the person reached this computer.
    let words = connection?.split(separator: " ").map(String.init) ?? []
    let address = words.count > 2 ? words[2] : ""
    let isSafe = !address.isEmpty && address.allSatisfy { $0.isHexDigit || $0 == "." || $0 == ":" }
    host = isSafe ? address : hostName().printable
  }

  /// What to do so that the browser can return.
  func advice(for redirect: LoopbackRedirect) -> Sentence {
    "Paste the last address of the browser at the prompt, even if its page does not load. Or run this on "
      + "your own computer before you open the page: ssh -L "
      + "\(redirect.port):\(redirect.host):\(redirect.port) \(host)"
  }
}
