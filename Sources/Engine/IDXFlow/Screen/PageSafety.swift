import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Screen {
  /// Why the page must not be opened, as a sentence; nil if it may be opened, or if there is none.
  ///
  /// The server chooses the address. A front-end on the person's own computer asks for this before it opens
  /// the page, and otherwise replies ``Reply/failed(_:)`` with the sentence. The page may be https, or http
  /// of an issuer on this computer.
  public var dangerOfPage: String? {
    (page?.url).flatMap(danger).map { danger in
      words.sentence(danger, ["count": "\(Page.longestAddress)"])
    }
  }

  /// Whether a front-end may open a page that the server names.
  package func mayOpen(_ url: URL) -> Bool { danger(of: url) == nil }

  func danger(of url: URL) -> Words.Key? {
    Self.danger(of: url, issuer: step?.state.configuration.issuer)
  }

  /// The pages that may be opened in a sign-in to an issuer.
  static func safe(_ pages: [URL], for issuer: URL) -> [URL] {
    pages.filter { danger(of: $0, issuer: issuer) == nil }
  }

  /// Why a page must not be opened in a sign-in to an issuer; nil if it may be.
  static func danger(of url: URL, issuer: URL?) -> Words.Key? {
    guard url.absoluteString.utf8.count <= Page.longestAddress else { return "danger.long" }
    let isSecure = url.scheme?.lowercased() == "https" && url.host?.isEmpty == false
    guard isSecure || Origin(url).isLocalHTTP else { return "danger.insecure" }
    // A server could make the browser send requests to any program that listens on this computer.
    let isIssuer = Origin(url) == issuer.map { Origin($0) }
    if let host = url.host(percentEncoded: false), LocalHost.mayBeNamed(host), !isIssuer {
      return "danger.local"
    }
    // `https://known.example@other.example/` looks like an address of known.example.
    return url.user == nil && url.password == nil ? nil : "danger.hidden"
  }
}

extension Screen.Page {
  /// Longer addresses do not work in all browsers, and would fill a terminal.
  package static let longestAddress = 8000
}
