import IDX
import IDXFlow

extension TerminalPrompter {
  func show(_ app: AuthenticatorApp) async throws {
    guard let uri = app.uri else {
      if let image = app.image { try await offer(image) }
      return
    }
    AuthenticatorAppPage(terminal: terminal, drawsQRCode: drawsQRCodes).show(uri)
  }

  private func offer(_ image: Authenticator.Image) async throws {
    page.note(
      "The server sends the key only as an image with a QR code, which cannot be drawn here. "
        + "Save the image, open it and scan it; then delete it, since whoever has it has the key.")
    while true {
      let line = try await terminal.readLine(prompt: "Save it to (Enter to leave it): ")
      guard case .text(let name) = line else { throw CancellationError() }
      guard !name.trimmed.isEmpty else { return }
      do {
        try PrivateFile.write(image.bytes, to: name.trimmed)
        page.success("Saved to \(name.trimmed).")
        return
      } catch { page.problem("\(error)") }
    }
  }
}
