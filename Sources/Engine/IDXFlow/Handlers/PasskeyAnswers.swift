import IDX
import IDXBase
import IDXOAuth

/// The answers of a passkey to a form.
///
/// Values are Base64url, except `transports` and `clientExtensions`, which are JSON in
/// a string, and a user handle that is plain text. Fields that the form does not have are left out.
struct PasskeyAnswers {
  let answers: Answers

  init(_ attestation: PasskeyAttestation, to form: Remediation?) {
    self.init(
      [
        "attestation": Base64URL.encode(attestation.attestationObject),
        "clientData": Base64URL.encode(attestation.clientData),
        "transports": JSONValue.array(attestation.transports.map(JSONValue.string)).text,
        "clientExtensions": "{}",
      ], to: form)
  }

  init(_ assertion: PasskeyAssertion, to form: Remediation?) {
    self.init(
      [
        "authenticatorData": Base64URL.encode(assertion.authenticatorData),
        "clientData": Base64URL.encode(assertion.clientData),
        "signatureData": Base64URL.encode(assertion.signature),
        "userHandle": assertion.userHandle.map(Self.text) ?? "",
      ], to: form)
  }

  private init(_ values: [String: String], to form: Remediation?) {
    var answers = Answers()
    for (name, value) in values where !value.isEmpty {
      let path = "credentials.\(name)"
      guard let field = form?[path], !field.isFixed else { continue }
      answers[path] = .text(value)
    }
    self.answers = answers
  }

  /// The server's user ID from a user handle: the bytes of its text, or the bytes that the text encodes.
  private static func text(_ handle: [UInt8]) -> String {
    let isText = !handle.isEmpty && handle.allSatisfy { (0x21...0x7e).contains($0) }
    return isText ? String(decoding: handle, as: UTF8.self) : Base64URL.encode(handle)
  }
}
