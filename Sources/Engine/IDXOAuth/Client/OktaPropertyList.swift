import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlowConfiguration {
  /// Reads a property list such as `Okta.plist`, in the format of Okta's SDKs.
  ///
  /// Its keys are `issuer`, `clientId`, `redirectUri`, `logoutRedirectUri` and `scopes`. The spellings
  /// `client_id` and `ClientId` mean the same, and so do `scope` and `issuer_url`. Scopes are one string with
  /// spaces, or an array. Empty values count as missing, and other keys are ignored.
  ///
  ///     let file = Bundle.main.url(forResource: "Okta", withExtension: "plist")
  ///     let configuration = try FlowConfiguration(plist: file!)
  ///
  /// Throws a ``FlowError`` with the code `invalidConfiguration` if the file cannot be read, a required key
  /// is missing or a value is not valid. A client secret is refused too, because everyone who has the app can
  /// read its files.
  public init(plist file: URL) throws {
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw Self.invalid(
        "The property list \(file.lastPathComponent.printable) cannot be read.", because: error)
    }
    try self.init(plist: data)
  }

  /// Reads the contents of a property list; see ``init(plist:)-(URL)``.
  public init(plist contents: Data) throws {
    let list: OktaPropertyList
    do { list = try PropertyListDecoder().decode(OktaPropertyList.self, from: contents) } catch {
      throw Self.invalid(
        "The configuration is not a property list with keys and values.", because: error)
    }
    guard list["clientsecret"] == nil else {
      throw Self.invalid(
        "The property list contains a client secret. Everyone who has the app can read it, so remove it. "
          + "A server gives its secret to the TokenClient.")
    }
    func required(_ keys: String..., named name: String) throws -> String {
      if let value = keys.lazy.compactMap({ list[$0]?.first }).first { return value }
      let found = list.names.isEmpty ? "nothing" : list.names
      throw Self.invalid(
        "The property list has no value for \(name). It has values for \(found).")
    }
    let scopes = (list["scopes"] ?? list["scope"])?
      .flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    try self.init(
      issuer: try required("issuer", "issuerurl", named: "issuer"),
      clientID: try required("clientid", named: "clientId"),
      redirectURI: list["redirecturi"]?.first, logoutRedirectURI: list["logoutredirecturi"]?.first,
      scopes: scopes ?? Self.defaultScopes)
  }
}

/// The strings in a property list, by their keys in lowercase and without underscores.
private struct OktaPropertyList: Decodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var values: [String: [String]] = [:]
  /// The keys that have a value, as written, for messages.
  let names: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    var names: [String] = []
    for key in container.allKeys {
      let texts =
        (try? container.decode(String.self, forKey: key)).map { [$0] }
        ?? (try? container.decode([String].self, forKey: key)) ?? []
      let filled = texts.filter { !$0.isEmpty }
      guard !filled.isEmpty else { continue }
      values[key.stringValue.lowercased().filter { $0 != "_" }] = filled
      names.append(key.stringValue.printable.shortened(to: 40))
    }
    self.names = names.sorted().prefix(20).joined(separator: ", ")
  }

  subscript(key: String) -> [String]? { values[key] }
}
