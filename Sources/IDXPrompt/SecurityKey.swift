import IDXSystem
public import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A security key at a USB port, through the programs of libfido2: `fido2-token`, `fido2-cred` and
/// `fido2-assert`.
///
/// They are found in `PATH`. A key that needs a PIN has it asked by the program itself, at the terminal
/// of the process; nothing else must read from it meanwhile. A PIN is asked for where the server
/// requires that the person is verified, or the key does; where the server merely prefers it, a touch
/// does. Passkeys that an account has already are looked for before another one is made.
///
///     var handlers = Handlers.asking(prompter)
///     handlers.usePasskeys(
///       SecurityKey(environment: ProcessInfo.processInfo.environment), prompter: prompter)
///
/// Source: the manual pages of libfido2 1.12; WebAuthn Level 2, section 6.3.
public struct SecurityKey: PasskeyProvider {
  private let environment: [String: String]
  private let device: String?
  private let notify: @Sendable (String) -> Void

  /// A key.
  ///
  /// - Parameters:
  ///   - environment: The variables of the programs; `PATH` says where they are.
  ///   - device: Which key, such as `/dev/hidraw5`; nil for the only one there is.
  ///   - notify: Is told, in a sentence for the person, when the key waits to be touched.
  public init(
    environment: [String: String], device: String? = nil,
    notify: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.environment = environment
    self.device = device
    self.notify = notify
  }

  /// Makes a passkey on the key.
  public func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    guard let type = Self.type(for: request.algorithms) else {
      throw PasskeyError(.unsupported, "\(request.site) takes no passkeys that security keys make.")
    }
    let device = try await self.device()
    for id in request.excluded.map(\.id) {
      guard try await !holds(id, for: request.site, request.clientData, device) else {
        throw PasskeyError(
          .alreadyRegistered,
          "This security key is set up for \(request.site) already. Use another.")
      }
    }
    var arguments = ["-M"]
    if request.residentKey == .required { arguments.append("-r") }
    if request.userVerification == .required { arguments.append("-v") }
    notify("Touch your security key when it blinks.")
    let lines = try await run(
      "fido2-cred", arguments + [device, type],
      input: [
        Self.base64(request.clientData.hash), request.site, Self.line(request.user.name),
        Self.base64(request.user.id),
      ])
    let credential = try SecurityKeyCredential(lines, for: request)
    return PasskeyAttestation(
      clientData: request.clientData.json, attestationObject: credential.attestationObject,
      transports: [device.hasPrefix("/dev/") || device.hasPrefix("ioreg:") ? "usb" : "nfc"])
  }

  /// Signs with a passkey of the key.
  public func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    let device = try await self.device()
    var arguments = ["-G"]
    if request.userVerification == .required { arguments.append("-v") }
    var candidates = request.allowed.map(\.id)
    if candidates.count > 1 {
      // A key waits for a touch for each passkey that is asked of it, known or not.
      var known: [[UInt8]] = []
      for id in candidates {
        if try await holds(id, for: request.site, request.clientData, device) { known.append(id) }
      }
      if !known.isEmpty { candidates = known }
    }
    let head = [Self.base64(request.clientData.hash), request.site]
    notify("Touch your security key when it blinks.")
    guard !candidates.isEmpty else {
      return try assertion(
        await run("fido2-assert", arguments + ["-r", device], input: head), for: request)
    }
    var refusal = PasskeyError(.unknownCredential, Self.unknown)
    for id in candidates {
      do {
        let lines = try await run(
          "fido2-assert", arguments + [device], input: head + [Self.base64(id)])
        return try assertion(lines, for: request)
      } catch let error as PasskeyError where error.code == .unknownCredential {
        refusal = error
      }
    }
    throw refusal
  }

  static let unknown = "This security key has no passkey of this account. Use another key."

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  private func assertion(
    _ lines: [String], for request: PasskeyRequestOptions
  ) throws -> PasskeyAssertion {
    guard lines.count >= 4, lines[0] == Self.base64(request.clientData.hash),
      let data = SecurityKeyCredential.authenticatorData(lines[2], site: request.site),
      let signature = Data(base64Encoded: lines[3])
    else { throw PasskeyError(.failed, "fido2-assert gave no assertion.") }
    // For a passkey that the key remembers it tells whose it is.
    let handle =
      request.allowed.isEmpty && lines.count > 4
      ? Data(base64Encoded: lines[4]).map(Array.init) : nil
    return PasskeyAssertion(
      clientData: request.clientData.json, authenticatorData: data, signature: Array(signature),
      userHandle: handle)
  }

  /// Whether the key holds a passkey; for that it need not be touched, and no PIN is asked.
  private func holds(
    _ id: [UInt8], for site: String, _ clientData: PasskeyClientData, _ device: String
  ) async throws -> Bool {
    let input = [Self.base64(clientData.hash), site, Self.base64(id)]
    let outcome = try await outcome(
      of: "fido2-assert", ["-G", "-t", "up=false", "-t", "pin=false", device], input: input)
    return outcome.status == 0
  }

  /// The key that is plugged in.
  private func device() async throws -> String {
    if let device { return device }
    // `/dev/hidraw5: vendor=0x1050, product=0x0407 (Yubico YubiKey)`; a path may contain spaces.
    let lines = try await run("fido2-token", ["-L"], input: [])
    let devices = lines.compactMap { line in
      line.firstRange(of: ": vendor=").map { String(line[..<$0.lowerBound]) }
    }
    guard let first = devices.first else {
      throw PasskeyError(.noKey, "There is no security key. Plug one in.")
    }
    guard devices.count == 1 else {
      throw PasskeyError(
        .severalKeys, "There are \(devices.count) security keys. Leave one plugged in.")
    }
    return first
  }

  /// The lines that a program writes; what it complains about is thrown.
  private func run(
    _ name: String, _ arguments: [String], input: [String]
  ) async throws -> [String] {
    let outcome = try await outcome(of: name, arguments, input: input)
    guard outcome.status == 0 else { throw PasskeyError(name, failedWith: outcome) }
    return outcome.output.split(separator: "\n").map(String.init)
  }

  private func outcome(
    of name: String, _ arguments: [String], input: [String]
  ) async throws -> ExternalProgram.Outcome {
    guard let program = ExternalProgram(named: name, environment: environment) else {
      throw PasskeyError(
        .notInstalled,
        "\(name) is not installed: install fido2-tools (Debian, Ubuntu, Fedora) or libfido2 "
          + "(Homebrew, Arch).")
    }
    do {
      return try await program.run(arguments, input: input.map { $0 + "\n" }.joined())
    } catch let failure as SystemFailure {
      throw PasskeyError(.failed, "\(name) cannot be run: \(failure).")
    }
  }

  /// The best kind of passkey that the server takes, as fido2-cred calls it; nil where there is none.
  private static func type(for algorithms: [Int]) -> String? {
    let names = [-7: "es256", -8: "eddsa", -257: "rs256"]
    if algorithms.isEmpty || algorithms.contains(-7) { return "es256" }
    return algorithms.lazy.compactMap { names[$0] }.first
  }

  /// A server's text as one line of input, 64 bytes at most, which is what keys keep of it.
  private static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
      guard line.utf8.count + String(scalar).utf8.count <= 64 else { break }
      line.unicodeScalars.append(scalar)
    }
    return line.isEmpty ? "user" : line
  }
}
