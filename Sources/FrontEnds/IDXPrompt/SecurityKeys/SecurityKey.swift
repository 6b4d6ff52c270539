public import IDXFlow
import IDXSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A USB security key, used through the programs of libfido2: `fido2-token`, `fido2-cred` and
/// `fido2-assert`.
///
/// The programs are searched for in `PATH`. If the key needs a PIN, the program asks for it at the terminal
/// of the process; nothing else may read from the terminal meanwhile. A PIN is needed if the server or
/// the key requires user verification; if the server only prefers it, a touch is enough. A key that
/// already has a passkey of the account is refused.
///
///     let key = SecurityKey(environment: ProcessInfo.processInfo.environment)
///     let frontEnd = TerminalFrontEnd(terminal: terminal, passkeys: key)
///     let handlers = Handlers.showing(Screens(canUsePasskeys: true), on: frontEnd)
///
/// Source: the manual pages of libfido2 1.12; WebAuthn Level 2, section 6.3.
public struct SecurityKey: PasskeyProvider {
  private let environment: [String: String]
  private let device: String?
  private let words: Words
  private let notify: @Sendable (String) -> Void

  /// Creates a provider for one key.
  ///
  /// - Parameters:
  ///   - environment: The environment of the programs, with the `PATH` that contains them.
  ///   - device: The device of the key, such as `/dev/hidraw5`; nil for the only key that is plugged in.
  ///   - words: The words of errors and of what to do.
  ///   - notify: Receives a sentence for the person when the key has to be touched.
  public init(
    environment: [String: String], device: String? = nil, words: Words = .english,
    notify: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.environment = environment
    self.device = device
    self.words = words
    self.notify = notify
  }

  /// Why no security key can be used, and what to install; nil if the programs are there.
  public var missingProgram: String? {
    let missing = ["fido2-token", "fido2-cred", "fido2-assert"].first {
      ExternalProgram(named: $0, environment: environment) == nil
    }
    return missing.map { words.sentence("security-key.not-installed", ["name": $0]) }
  }

  /// Creates a passkey on the key.
  public func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    guard let type = Self.type(for: request.algorithms) else {
      throw PasskeyError(
        .unsupported, words.sentence("security-key.unsupported", ["site": request.site]))
    }
    let device = try await self.device()
    for id in request.excluded.map(\.id) {
      guard try await !contains(id, for: request.site, request.clientData, device) else {
        throw PasskeyError(
          .alreadyRegistered,
          words.sentence("security-key.known.site", ["site": request.site]))
      }
    }
    let options =
      (request.residentKey == .required ? ["-r"] : [])
      + (request.userVerification == .required ? ["-v"] : [])
    notify(words.sentence("security-key.touch"))
    let lines = try await run(
      "fido2-cred", ["-M"] + options + [device, type],
      input: [
        Self.base64(request.clientData.hash), request.site, Self.line(request.user.name),
        Self.base64(request.user.id),
      ])
    return PasskeyAttestation(
      clientData: request.clientData.json,
      attestationObject: try SecurityKeyCredential.attestationObject(lines, for: request),
      transports: [device.hasPrefix("/dev/") || device.hasPrefix("ioreg:") ? "usb" : "nfc"])
  }

  /// Signs a challenge with a passkey of the key.
  public func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    let device = try await self.device()
    let arguments = request.userVerification == .required ? ["-G", "-v"] : ["-G"]
    var candidates = request.allowed.map(\.id)
    if candidates.count > 1 {
      // A key waits for a touch for each passkey that it is asked for, known or unknown.
      var known: [[UInt8]] = []
      for id in candidates {
        if try await contains(id, for: request.site, request.clientData, device) {
          known.append(id)
        }
      }
      if !known.isEmpty { candidates = known }
    }
    let head = [Self.base64(request.clientData.hash), request.site]
    notify(words.sentence("security-key.touch"))
    var refusal = PasskeyError(.unknownCredential, words.sentence("security-key.unknown"))
    // Without candidates, the key looks for a discoverable credential.
    let attempts: [[UInt8]?] = candidates.isEmpty ? [nil] : candidates
    for id in attempts {
      do {
        let lines = try await run(
          "fido2-assert", arguments + (id == nil ? ["-r", device] : [device]),
          input: head + [id].compactMap { $0.map(Self.base64) })
        return try assertion(lines, for: request)
      } catch let error as PasskeyError where error.code == .unknownCredential {
        refusal = error
      }
    }
    throw refusal
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  private func assertion(
    _ lines: [String], for request: PasskeyRequestOptions
  ) throws -> PasskeyAssertion {
    guard lines.count >= 4, lines[0] == Self.base64(request.clientData.hash),
      let data = SecurityKeyCredential.authenticatorData(lines[2], site: request.site),
      let signature = Data(base64Encoded: lines[3])
    else { throw PasskeyError(.failed, "fido2-assert returned no assertion.") }
    // For a discoverable credential the key returns the user handle.
    let handle =
      request.allowed.isEmpty && lines.count > 4
      ? Data(base64Encoded: lines[4]).map(Array.init) : nil
    return PasskeyAssertion(
      clientData: request.clientData.json, authenticatorData: data, signature: Array(signature),
      userHandle: handle)
  }

  /// Whether the key contains a passkey; needs neither a touch nor a PIN.
  private func contains(
    _ id: [UInt8], for site: String, _ clientData: PasskeyClientData, _ device: String
  ) async throws -> Bool {
    let input = [Self.base64(clientData.hash), site, Self.base64(id)]
    return try await runTool(
      "fido2-assert", ["-G", "-t", "up=false", "-t", "pin=false", device], input: input
    ).status == 0
  }

  /// The device of the key that is plugged in.
  private func device() async throws -> String {
    if let device { return device }
    // `/dev/hidraw5: vendor=0x1050, product=0x0407 (Yubico YubiKey)`; a path may contain spaces.
    let lines = try await run("fido2-token", ["-L"], input: [])
    let devices = lines.compactMap { line in
      line.firstRange(of: ": vendor=").map { String(line[..<$0.lowerBound]) }
    }
    guard let first = devices.first else {
      throw PasskeyError(.noKey, words.sentence("security-key.none"))
    }
    guard devices.count == 1 else {
      throw PasskeyError(
        .severalKeys, words.sentence("security-key.several", ["count": String(devices.count)]))
    }
    return first
  }

  /// Runs a program and returns its output lines; throws if it fails.
  private func run(
    _ name: String, _ arguments: [String], input: [String]
  ) async throws -> [String] {
    let exit = try await runTool(name, arguments, input: input)
    guard exit.status == 0 else { throw PasskeyError(name, failedWith: exit, words) }
    return exit.output.split(separator: "\n").map(String.init)
  }

  private func runTool(
    _ name: String, _ arguments: [String], input: [String]
  ) async throws -> ExternalProgram.Exit {
    guard let program = ExternalProgram(named: name, environment: environment) else {
      throw PasskeyError(
        .notInstalled, words.sentence("security-key.not-installed", ["name": name]))
    }
    do {
      return try await program.run(arguments, input: input.map { $0 + "\n" }.joined())
    } catch let failure as SystemFailure {
      throw PasskeyError(.failed, "\(name) cannot be run: \(failure).")
    }
  }

  /// The best key type that the server accepts, by its name in fido2-cred; nil if there is none.
  private static func type(for algorithms: [Int]) -> String? {
    let names = [-7: "es256", -8: "eddsa", -257: "rs256"]
    if algorithms.isEmpty || algorithms.contains(-7) { return "es256" }
    return algorithms.lazy.compactMap { names[$0] }.first
  }

  /// A server text as one line of input of at most 64 bytes, which is what keys store.
  private static func line(_ text: String) -> String {
    let visible = text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
    var line = String.UnicodeScalarView(visible.prefix(64))
    while String(line).utf8.count > 64 { line.removeLast() }
    return line.isEmpty ? "user" : String(line)
  }
}
