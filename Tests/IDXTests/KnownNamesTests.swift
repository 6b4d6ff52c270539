import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDX

/// Known names.
struct KnownNamesTests {
  @Test("The lists of known names have each name that is declared")
  func remediationNames() throws {
    try expectKnown(Remediation.Name.known, in: "Remediation/RemediationName.swift")
    try expectKnown(
      IDXMessage.Key.known, in: "Response/IDXMessage.swift", after: "extension IDXMessage.Key")
    let file = "Authenticator/IDXAuthenticator.swift"
    try expectKnown(IDXAuthenticator.Key.known, in: file, after: "extension IDXAuthenticator.Key")
    try expectKnown(
      IDXAuthenticator.Method.known, in: file, after: "struct Method", until: "enum Container")
  }

  /// Compares a list with the declarations in the source, because a program cannot list its static members.
  private func expectKnown<Name: OpenSet>(
    _ known: Set<Name>, in file: String, after start: String = "", until end: String? = nil
  ) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let source = try String(
      contentsOf: folder.appending(path: "../../Sources/Engine/IDX/\(file)"), encoding: .utf8)
    var part = source[...]
    if !start.isEmpty { part = try part[#require(part.range(of: start)).upperBound...] }
    if let end { part = try part[..<#require(part.range(of: end)).lowerBound] }
    let declared = part.matches(of: /static let \w+: Self\s*=\s*"([^"]+)"/).map { String($0.1) }
    expect(!declared.isEmpty, "\(file) declares none")
    expectEqual(known.map(\.rawValue).sorted(), declared.sorted())
  }
}
