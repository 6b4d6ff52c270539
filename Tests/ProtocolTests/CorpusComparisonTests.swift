import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import Testing

@testable import IDXRecording

/// The folder with recorded responses, which are not part of this package.
private let corpus = ProcessInfo.processInfo.environment["IDX_CORPUS"]

/// Set IDX_CORPUS to the folder.
@Suite(
  "The simulated org writes responses like the recorded ones",
  .enabled(if: corpus != nil, "IDX_CORPUS names no folder with responses"),
  .timeLimit(.minutes(10)))
struct CorpusComparisonTests {
  @Test("A recording keeps all names of nearly every recorded response")
  func namesInRecordings() throws {
    let url = try require(URL(string: "https://id.example/idp/idx/introspect"))
    let responses = try ResponseShapes.files(in: try require(corpus))
    let withNewNames = responses.filter { body in
      let exchange = Recording.Exchange(
        start: .zero, duration: .zero, request: TransportRequest(url: url),
        result: .success(TransportResponse(status: 200, body: body)))
      let redacted = Redactor(reading: Recording([exchange]), startedAt: .now, random: .system)
        .redacted()
      return redacted.json.text.contains("name-1")
    }
    expect(responses.count > 300 && withNewNames.count < responses.count / 10)
  }

  @Test("Every difference is known, and every known difference still occurs")
  func comparison() async throws {
    let recorded = try ResponseShapes(folder: try require(corpus))
    let simulated = try await ResponseShapes.ofAllScenarios()
    let comparison = ShapeComparison(of: simulated, with: recorded)
    let patterns = KnownDifferences.patterns
    let unknown = comparison.differences.filter { difference in
      !patterns.contains { KnownDifferences.matches(difference, $0) }
    }
    let gone = patterns.filter { pattern in
      !comparison.differences.contains { KnownDifferences.matches($0, pattern) }
    }
    expect(comparison.comparedParts > 50)
    expectEqual(unknown, [])
    expectEqual(gone, [])
  }
}

/// Differences that are intended.
private enum KnownDifferences {
  /// The lines of the differences; `*` stands for any text.
  static let patterns = [
    // Some recordings were shortened, or differ from each other.
    "form *: only the org has produces", "form *: credentials required = *",
    "form *: credentials type = *",
    "form authenticator-verification-data phone_number: authenticator *",
    "form authenticator-verification-data phone_number: the org lacks authenticator relatesTo",
    "form * credentials.passcode required = [\"false\"], not [\"true\"]",
    "form device-apple-sso-extension none: challengeRequest mutable = *",
    "form challenge-authenticator google_otp: only the org has *.i18n.params",
    "form resend custom_app: authenticator.methodType required = *",
    "response at *: the org lacks context", "response at *: the org lacks authentication",
    "response at user-code none: *", "response at *: only the org has app",
    "response at *: only the org has user", "response at *: only the org has expiresAt",
    "response at *: only the org has enrollmentAuthenticator",
    "response at authenticator-verification-data *: only the org has authenticators",
    "response at redirect-idp external_idp: the org lacks currentAuthenticator",
    "currentAuthenticator okta_verify at authenticator-verification-data: methods = *",
    "currentAuthenticator custom_otp *: methods = *", "*uthenticator nfc_pin *: methods = *",
    "currentAuthenticator nfc_pin *: the org lacks .recover",
    // The recordings of the form are of a wrong code only, or of none.
    "form *: the org lacks credentials.passcode messages",
    "form *: only the org has credentials.passcode messages",
    "response at enroll-authenticator onprem_mfa: the org lacks messages",
    // It depends on the policy of an org, its scopes, attributes and logos.
    "currentAuthenticator okta_password *: the org lacks .recover*",
    "response at identify none: only the org has captcha", "*: the org lacks .logoUri",
    "authenticators tac: the org lacks .allowedFor", "form granular-consent none: * optedScopes.*",
    "form profile-update none: * userProfile.*",
    "form enroll-profile none: only the org has userProfile.*",
    "form enroll-profile none: userProfile.country required = [\"false\"], not [\"true\"]",
    "form enroll-profile okta_password: only the org has userProfile.*",
    "form enroll-profile okta_password: order of userProfile.: *",
    "form select-authenticator-unlock-account: the org lacks authenticator[phone_number].*",
    "form select-authenticator-unlock-account: authenticator required = *",
    "enrollmentAuthenticator okta_password at enroll-authenticator: the org lacks .settings",
    "recoveryAuthenticator none at *: only the org has .settings.complexity.excludeAttributes",
    "form reenroll-custom-password-expiry *: the org lacks credentials.revokeSessions",
    "response at reenroll-custom-password-expiry*: the org lacks recoveryAuthenticator",
    "response at request-activation-email none: the org lacks user",
    // The org names the authenticator that is recovered in every response of a recovery.
    "response at *: only the org has recoveryAuthenticator",
    // The org does not say what a person has set up before it knows the person.
    "response at select-authenticator-unlock-account none: the org lacks authenticatorEnrollments",
    // The org waits longer for Okta Verify, so that it is found on a busy machine.
    "authenticatorChallenge: only the org has .value.probeTimeoutMillis",
    // Nothing was sent yet that could be sent again.
    "currentAuthenticator *: the org lacks .resend",
    // The recordings of a captcha are of services that ask no server for a challenge.
    "captcha: only the org has .value.challengeUrlForm",
    // A push of the organization's app can be sent again like that of Okta Verify.
    "currentAuthenticator custom_app at challenge-poll: only the org has .resend",
    // The recordings with a number for a push are of other steps.
    "currentAuthenticator okta_verify at challenge-poll: only the org has *Answer",
    // The state handle is the last field of each form.
    "form challenge-poll okta_verify: order of *",
    // The org names the method and the enrollment in the same way at each authenticator.
    "form authenticator-verification-data phone_number: only the org has *.enrollmentId",
    "form select-authenticator-*: only the org has *",
    "form select-authenticator-enroll: * visible = [\"true\"], not [\"false\"]",
    // The recordings have these members at another place.
    "authenticatorEnrollments webauthn: only the org has .profile.deviceName",
    "enrollmentAuthenticator nfc_pin at enroll-authenticator: the org lacks .settings",
    // The org names its site, and offers a passkey in the same way in each setup.
    "currentAuthenticator webauthn *: only the org has .contextualData.*",
    "currentAuthenticator webauthn at enroll-authenticator-promotion: *",
    "response at enroll-authenticator-promotion webauthn: the org lacks authenticators",
  ]

  static func matches(_ difference: String, _ pattern: String) -> Bool {
    let parts = pattern.components(separatedBy: "*")
    guard difference.hasPrefix(parts[0]), difference.hasSuffix(parts[parts.count - 1]) else {
      return false
    }
    var rest = difference[...]
    for part in parts where !part.isEmpty {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return parts.count > 1 || rest.isEmpty
  }
}

// MARK: - Shapes

/// One occurrence of a part of a response, such as a form, without its values.
private struct Shape: Hashable {
  /// The JSON type of each member, by its path.
  var types: [String: Set<String>] = [:]
  /// The flags of fields with their defaults, and the methods of authenticators, by path.
  var values: [String: String] = [:]
  /// The names of fields or forms, in order, by the path of their list.
  var orders: [String: [String]] = [:]

  /// Adds a JSON value with everything in it.
  mutating func add(_ json: JSONValue, at path: String) {
    types[path, default: []].insert(json.typeName)
    if json["href"] != nil, json["name"]?.string != nil { return addForm(json, at: path + ".") }
    switch json {
    case .array(let elements):
      for element in elements { add(element, at: path + "[]") }
    case .object(let object):
      for member in object.members { add(member.value, at: "\(path).\(member.name)") }
    default: break
    }
  }

  /// Adds a remediation or an action.
  mutating func addForm(_ form: JSONValue, at path: String = "") {
    for member in form.object?.members ?? [] where member.name != "value" {
      add(member.value, at: path + member.name)
    }
    add(fields: form["value"]?.array ?? [], at: path)
  }

  private mutating func add(fields: [JSONValue], at path: String) {
    let names = fields.compactMap { $0["name"]?.string }
    orders[path, default: []] += names
    for field in fields { add(field: field, at: path + (field["name"]?.string ?? "?")) }
  }

  private mutating func add(field: JSONValue, at path: String) {
    types[path, default: []].insert("field")
    for (flag, standard) in Self.flags {
      let value = field[flag].flatMap { $0.bool.map(String.init) ?? $0.string }
      values["\(path) \(flag)"] = value ?? standard
    }
    for member in field.object?.members ?? [] {
      let memberPath = "\(path) \(member.name)"
      switch member.name {
      case "name", "required", "visible", "mutable", "secret", "type": break
      case "form":
        types[memberPath] = [member.value.typeName]
        add(fields: member.value["value"]?.array ?? [], at: path + ".")
      case "value":
        if let form = member.value["form"] {
          types[memberPath + ".form"] = [form.typeName]
          add(fields: form["value"]?.array ?? [], at: path + ".")
        } else {
          add(member.value, at: memberPath)
        }
      case "options": for option in member.value.array ?? [] { add(option: option, at: path) }
      default: add(member.value, at: memberPath)
      }
    }
  }

  private mutating func add(option: JSONValue, at path: String) {
    for member in option.object?.members ?? [] {
      if let form = member.value["form"] {
        types["\(path) options.\(member.name).form"] = ["object"]
        let key = option["authenticator"]?.string.map { "[\($0)]" } ?? "[]"
        add(fields: form["value"]?.array ?? [], at: "\(path)\(key).")
      } else if member.name != "authenticator" {
        add(member.value, at: "\(path) options.\(member.name)")
      }
    }
  }

  private static let flags = [
    ("required", "false"), ("visible", "true"), ("mutable", "true"), ("secret", "false"),
    ("type", "string"),
  ]
}

/// The shapes of all parts of many responses.
private struct ResponseShapes {
  /// All occurrences of a part, by its name.
  private(set) var parts: [String: Set<Shape>] = [:]

  /// Reads a folder with responses.
  init(folder: String) throws {
    for bytes in try Self.files(in: folder) {
      if let json = try? JSONValue(parsing: bytes) { add(json) }
    }
  }

  static func files(in folder: String) throws -> [[UInt8]] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".json") }.sorted().map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent($0)))
    }
  }

  private init() {}

  /// Plays every scenario of Identity Engine several times; at last without the person's phone.
  static func ofAllScenarios() async throws -> ResponseShapes {
    var shapes = ResponseShapes()
    for scenario in OrgScenario.all(for: .idx) {
      let transport = ResponseLog(org: SharedSignIn.org(scenario))
      let passkeys = SoftwareAuthenticator([.demo])
      for hasPhone in [true, true, false] {
        let person = SimulatedPerson(of: transport.org, goal: scenario.goal, passkeys: passkeys)
        // What the client cannot do ends the sign-in.
        _ = try? await transport.play(person, hasPhone: hasPhone)
      }
      for response in transport.responses.withLock({ $0 }) { shapes.add(response) }
    }
    return shapes
  }

  private mutating func add(_ response: JSONValue) {
    guard response["version"] != nil, let members = response.object?.members else { return }
    let current =
      response["currentAuthenticator"] ?? response["currentAuthenticatorEnrollment"]
    let key = current?["value"]?["key"]?.string ?? "none"
    let forms = response["remediation"]?["value"]?.array ?? []
    let names = forms.compactMap { $0["name"]?.string }
    let step = names.first ?? "no form"
    var top = Shape()
    top.orders[""] = names
    for member in members {
      top.types[member.name] = [member.value.typeName]
      switch member.name {
      case "remediation", "version": break
      case "messages":
        for message in member.value["value"]?.array ?? [] { add(message, to: "messages") }
      case "authenticators", "authenticatorEnrollments":
        for element in member.value["value"]?.array ?? [] {
          add(element, to: "\(member.name) \(element["key"]?.string ?? "")")
        }
      case let name where name.lowercased().hasSuffix("authenticator"):
        add(member.value["value"] ?? .null, to: "\(name) \(key) at \(step)")
      case "currentAuthenticatorEnrollment":
        add(member.value["value"] ?? .null, to: "currentAuthenticator \(key) at \(step)")
      case let name: add(member.value, to: name)
      }
    }
    parts["response at \(step) \(key)", default: []].insert(top)
    for form in forms {
      let name = form["name"]?.string ?? ""
      let isShared = name.hasPrefix("select-") || !name.contains("-") && name != "resend"
      var shape = Shape()
      shape.addForm(Self.naming(optionsOf: form, in: response))
      parts["form \(name)" + (isShared ? "" : " \(key)"), default: []].insert(shape)
    }
  }

  private mutating func add(_ json: JSONValue, to part: String) {
    var shape = Shape()
    shape.add(json, at: "")
    if let methods = json["methods"]?.array {
      shape.values["methods"] = methods.compactMap { $0["type"]?.string }.joined(separator: "+")
    }
    parts[part, default: []].insert(shape)
  }

  /// A form whose options have the key of their authenticator.
  private static func naming(optionsOf form: JSONValue, in response: JSONValue) -> JSONValue {
    let fields = form["value"]?.array?.map { field in
      let options = field["options"]?.array?.map { option in
        let path = option["relatesTo"]?.string?.split(whereSeparator: { "$.[]".contains($0) }) ?? []
        let target = path.reduce(Optional(response)) { json, name in
          Int(name).flatMap { json?[$0] } ?? json?[String(name)]
        }
        return option.adding("authenticator", target?["key"])
      }
      return field.adding("options", options.map(JSONValue.array))
    }
    return form.adding("value", fields.map(JSONValue.array))
  }
}

/// Keeps the responses of an org.
private struct ResponseLog: Transport {
  let org: SimulatedOrg
  let responses = Locked<[JSONValue]>([])

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await org.send(request)
    if let json = try? JSONValue(parsing: response.body) { responses.withLock { $0.append(json) } }
    return response
  }

  /// Plays a sign-in to its end; time passes only from poll to poll.
  func play(_ person: SimulatedPerson, hasPhone: Bool) async throws {
    let sessions = OpenSignIns(
      client: IDXClient(transport: self, tokens: org.tokenClient),
      configuration: org.configuration, handlers: .showing(Screens(canUsePasskeys: true)),
      now: { org.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    var turn = try await sessions.start()
    var pollsLeft = 100
    while case .page(let page) = turn {
      let isWait = page.screen.action.role == .wait
      if !isWait || hasPhone || pollsLeft == 0,
        let reply = try await person.reply(to: page.screen)
      {
        turn = try await sessions.reply(reply, to: page.id, revision: page.revision)
      } else {
        pollsLeft = max(pollsLeft - 1, 0)
        org.advance(by: (page.screen.wait?.interval ?? .zero) / .seconds(1))
        turn = try await sessions.poll(page.id, revision: page.revision)
      }
    }
  }
}

extension JSONValue {
  fileprivate var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

// MARK: - Comparison

/// The differences between the responses of an org and recorded ones.
private struct ShapeComparison {
  private(set) var differences: [String] = []
  private(set) var comparedParts = 0

  init(of simulated: ResponseShapes, with recorded: ResponseShapes) {
    for (part, shapes) in simulated.parts.sorted(by: { $0.key < $1.key }) {
      guard let others = recorded.parts[part] else { continue }
      comparedParts += 1
      differences += Self.differences(of: shapes, with: others).map { "\(part): \($0)" }
    }
  }

  private static func differences(of shapes: Set<Shape>, with others: Set<Shape>) -> [String] {
    let types = types(of: others)
    let values = Dictionary(grouping: others.flatMap(\.values), by: \.key)
    var lines: [String] = []
    for (path, found) in Self.types(of: shapes) {
      guard let known = types[path] else {
        if !hasParent(path, notIn: types) { lines.append("only the org has \(path)") }
        continue
      }
      let added = found.subtracting(known)
      if !added.isEmpty { lines.append("\(path) is \(added.sorted()), not \(known.sorted())") }
    }
    for path in types.keys where others.allSatisfy({ $0.types[path] != nil }) {
      let lacking = shapes.count { $0.types[path] == nil }
      if lacking > 0, !hasParent(path, notIn: Self.types(of: shapes)) {
        lines.append("the org lacks \(path)\(lacking < shapes.count ? " sometimes" : "")")
      }
    }
    for (path, found) in Dictionary(grouping: shapes.flatMap(\.values), by: \.key) {
      let known = Set(values[path, default: []].map(\.value))
      let added = Set(found.map(\.value)).subtracting(known)
      if !known.isEmpty, !added.isEmpty {
        lines.append("\(path) = \(added.sorted()), not \(known.sorted())")
      }
    }
    let pairs = Self.pairs(in: others)
    for pair in Self.pairs(in: shapes).subtracting(pairs) {
      if pairs.contains(Pair(path: pair.path, first: pair.second, second: pair.first)) {
        lines.append("order of \(pair.path): \(pair.first) before \(pair.second)")
      }
    }
    return lines.sorted()
  }

  private static func types(of shapes: Set<Shape>) -> [String: Set<String>] {
    shapes.reduce(into: [:]) { $0.merge($1.types) { $0.union($1) } }
  }

  /// Whether a path is inside of one that is already reported.
  private static func hasParent(_ path: String, notIn types: [String: Set<String>]) -> Bool {
    let ends = path.indices.filter { ". [".contains(path[$0]) && $0 != path.startIndex }
    return ends.map { String(path[..<$0]) }.contains { types[$0] == nil && !$0.hasSuffix("]") }
  }

  private struct Pair: Hashable {
    let path: String
    let first: String
    let second: String
  }

  /// All pairs of names with the first before the second.
  private static func pairs(in shapes: Set<Shape>) -> Set<Pair> {
    var pairs: Set<Pair> = []
    for (path, names) in shapes.flatMap(\.orders) {
      for (index, first) in names.enumerated() {
        for second in names.dropFirst(index + 1) where second != first {
          pairs.insert(Pair(path: path, first: first, second: second))
        }
      }
    }
    return pairs
  }
}
