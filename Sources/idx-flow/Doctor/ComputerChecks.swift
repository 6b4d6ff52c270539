import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXStorage
import IDXSystem

/// The checks of this computer: the redirect URI, the credential store, the terminal, security keys, Okta Verify.
struct ComputerChecks: Sendable {
  let call: CommandCall
  /// Nil if the settings cannot be used.
  let setup: DoctorSetup?
  let limit: Duration
  /// Why the server refuses the redirect URI; nil if it does not.
  let redirectRefusal: CommandFailure?

  /// Adds the checks in order, each as soon as it is known.
  func run(_ add: (DoctorCheck) throws -> Void) async throws {
    try add(redirectURI())
    try add(
      await limited(to: limit) { await store() }
        ?? .failed(
          "store", "the credential store did not respond in time", Self.storeRemedy, .storeFailed))
    try add(terminal())
    try add(
      await limited(to: limit) { await securityKeys() }
        ?? .warning("security keys", "the programs of libfido2 did not respond in time", nil))
    try add(await oktaVerify())
  }

  /// The ports at which Okta Verify usually listens; a sign-in asks those that the org names.
  private static let oktaVerifyPorts = [8769, 65_111, 65_121, 65_131, 65_141, 65_151]

  private func oktaVerify() async -> DoctorCheck {
    let name = "Okta Verify"
    // Whether it may be asked is not known either.
    guard let setup else { return .skipped(name, "the configuration cannot be used") }
    guard setup.fastPass != .never else { return .skipped(name, "--fast-pass never is set") }
    let origin = Origin(setup.configuration.issuer).description
    let addresses = Self.oktaVerifyPorts.compactMap { URL(string: "http://localhost:\($0)") }
    let found = await limited(to: limit) {
      try? await LoopbackFastPass(transport: call.loopbackTransport())
        .firstResponding(among: addresses, origin: origin, within: .milliseconds(500))
    }
    guard let found = found ?? nil else {
      return .ok(name, "it does not listen at its usual ports here, so there is no Okta FastPass")
    }
    return .ok(name, "it listens at \(found.absoluteString)")
  }

  private func redirectURI() -> DoctorCheck {
    let name = "redirect URI"
    guard let setup else { return .skipped(name, "the configuration cannot be used") }
    guard setup.onlySAMLApp == nil else { return .skipped(name, "the app uses SAML") }
    guard setup.flow.needsRedirectURI, let text = setup.configuration.redirectURI,
      let url = URL(string: text)
    else { return .skipped(name, "--flow \(setup.flow.name) needs none") }
    if let redirectRefusal { return .failed(name, redirectRefusal) }
    guard let loopback = LoopbackRedirect(url) else {
      return .ok(name, "\(text); after a page in a browser, you paste its last address")
    }
    do { try LoopbackListener(url, accepts: { _ in true }).close() } catch {
      return .warning(
        name, "\(error)",
        "End the program that uses the port, or paste the browser's last address at the prompt.")
    }
    if let remote = RemoteSession(call.environment) {
      return .warning(
        name, "\(text) is on this computer, but your browser is at the other end of ssh",
        "\(remote.advice(for: loopback))")
    }
    return .ok(name, "\(text); the browser can return to it")
  }

  private func store() async -> DoctorCheck {
    do {
      let store = try await StoreChoice.store(call, isDemo: false)
      if let setup {
        if let problem = try await setup.saver(for: store).check(setup.configuration).first {
          return .warning(
            "store", problem.message, "Until then, tokens of its user cannot be saved.")
        }
      } else {
        _ = try await store.currentID()
      }
      let isChosen = call.value(of: StoreChoice.option, or: "IDX_FLOW_STORE") != nil
      if store is FileCredentialStore, !isChosen {
        return .warning(
          "store", "there is no keyring, so tokens go to \(store.location) in clear text",
          "Install a keyring (secret-tool and gnome-keyring), or accept it: IDX_FLOW_STORE=file")
      }
      return .ok("store", store.location)
    } catch {
      let failure = CommandFailure(error)
      return .failed("store", failure.message, Self.storeRemedy, .storeFailed)
    }
  }

  private static let storeRemedy =
    "Unlock or repair the keyring, or choose another store: --store file"

  private func terminal() -> DoctorCheck {
    guard let terminal = call.openTerminal() else {
      return .warning(
        "terminal", "there is none, so nothing can be asked",
        "Run idx-flow at a terminal, or answer with --script.")
    }
    let size = "\(terminal.columns) columns, \(terminal.rows) rows"
    guard terminal.columns >= 60 else {
      return .warning("terminal", size, "Widen the window to 60 columns.")
    }
    return .ok("terminal", size + (terminal.style.usesUnicode ? "" : ", without QR codes"))
  }

  private func securityKeys() async -> DoctorCheck {
    let name = "security keys"
    guard let program = ExternalProgram(named: "fido2-token", environment: call.environment) else {
      return .warning(
        name, "the programs of libfido2 are not installed",
        "To use a security key: apt-get install fido2-tools, or brew install libfido2")
    }
    do {
      let run = try await program.run(["-L"])
      guard run.status == 0 else {
        return .warning(name, "fido2-token failed: \(run.errors.sanitized)", nil)
      }
      let count = run.output.split(separator: "\n").count
      return .ok(name, count == 0 ? "none is plugged in" : "\(count) plugged in")
    } catch { return .warning(name, "fido2-token cannot be run: \(error)", nil) }
  }
}
