import Foundation
import IDXFlow
import IDXOAuth

/// The org and the app: from options, the environment, or a file, in this order.
struct SignInSettings {
  private static let sources: [(option: String, variable: String, keys: [String])] = [
    ("--issuer", "OKTA_IDX_ISSUER", ["issuer"]),
    ("--client-id", "OKTA_IDX_CLIENTID", ["clientId", "client_id"]),
    ("--redirect-uri", "OKTA_IDX_REDIRECTURI", ["redirectUri", "redirect_uri"]),
    ("--scope", "OKTA_IDX_SCOPES", ["scopes"]),
  ]

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) {
    self.options = options
    self.environment = environment
  }

  /// The configuration, each value from the first source that has it.
  func configuration(needsRedirectURI: Bool = true) throws -> FlowConfiguration {
    let file = try options.values["--config"].map(Self.read) ?? [:]
    func value(_ index: Int) -> String? {
      let source = Self.sources[index]
      let candidates =
        [options.values[source.option], environment[source.variable]]
        + source.keys.map { file[$0] }
      return candidates.compactMap(\.self).first { !$0.isEmpty }
    }
    func required(_ index: Int) throws -> String {
      if let value = value(index) { return value }
      let source = Self.sources[index]
      let found = file.keys.sorted().joined(separator: ", ")
      let hint = file.isEmpty ? "" : " The file contains \(found)."
      throw CommandFailure(
        .usage,
        "\(source.option) is missing. Use the option, set \(source.variable), or put "
          + "\(source.keys[0]) into the file of --config.\(hint) To try it without an org: "
          + "idx-flow signin --demo")
    }
    return try FlowConfiguration(
      issuer: required(0), clientID: required(1),
      redirectURI: needsRedirectURI ? required(2) : value(2),
      scopes: value(3).map(Self.scopes) ?? FlowConfiguration.defaultScopes)
  }

  /// Where the issuer comes from, for the person; nil if they have just typed it.
  var issuerSource: String? {
    let source = Self.sources[0]
    if options.values[source.option]?.isEmpty == false { return nil }
    let isVariable = environment[source.variable]?.isEmpty == false
    return isVariable ? source.variable : options.values["--config"]
  }

  /// The scopes for the demo, from the command line only; the demo sets everything else.
  func demoScopes() throws -> [String] {
    let others = ["--issuer", "--client-id", "--redirect-uri", "--config"]
    if let other = others.first(where: { options.values[$0] != nil }) {
      throw CommandFailure(.usage, "--demo has its own org: do not use \(other) with it.")
    }
    return options.values["--scope"].map(Self.scopes)
      ?? FlowConfiguration.defaultScopes + ["email", "offline_access"]
  }

  private static func scopes(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "," }.map(String.init)
  }

  private static func read(_ path: String) throws -> [String: String] {
    let data: Data
    do { data = try InputFile(path: path).readTrusted() } catch {
      throw CommandFailure(.usage, "The file \(path.sanitized) of --config \(error)")
    }
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    guard let list = list as? [String: Any] else {
      throw CommandFailure(
        .usage,
        "The file \(path.sanitized) of --config is not a property list with keys and values.")
    }
    return list.compactMapValues { value in
      (value as? String) ?? (value as? [String])?.joined(separator: " ")
    }
  }
}
