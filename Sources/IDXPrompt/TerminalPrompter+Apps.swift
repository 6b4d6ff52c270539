import IDXSystem
import IDX
import IDXFlow

extension TerminalPrompter {
  func show(_ app: AuthenticatorApp) async throws {
    let appPage = AuthenticatorAppPage(terminal: terminal, drawsQRCode: drawsQRCodes)
    if let uri = app.uri { return appPage.show(uri) }
    guard let image = app.image else { return }
    if !appPage.show(image, for: app.name) { try await offer(image) }
  }

  private func offer(_ image: IDXAuthenticator.Image) async throws {
    page.note(
      "The server sends the key only as an image with a QR code, which is not drawn here. "
        + "Save the image, open it and scan it; then delete it, since whoever has it has the key.")
    while true {
      let line = try await terminal.readLine(prompt: "Save it to (Enter to leave it): ")
      guard case .text(let name) = line else { throw CancellationError() }
      guard !name.trimmed.isEmpty else { return }
      guard name.trimmed != "?" else {
        page.problem(
          "Type the name of a file that does not exist yet, or Enter to go on without it.")
        continue
      }
      do {
        try PrivateFile.write(image.bytes, to: name.trimmed)
        page.success("Saved to \(name.trimmed).")
        return
      } catch { page.problem("\(error)") }
    }
  }
}
