/// A parser of bytes that anyone may have written, with what must be true of its results.
///
/// The test must not trap, whatever the bytes are. A failed precondition ends the program, and libFuzzer
/// reports the bytes. The work must grow with the number of bytes only, because `pytest -k growth`
/// measures it too.
struct FuzzTarget: Sendable {
  let name: String
  /// Some valid inputs, from which others are derived.
  var seeds: [String] = []
  let test: @Sendable ([UInt8]) -> Void

  static let all: [FuzzTarget] = [
    .responses, .steps, .jwt, .keys, .tokens, .oauthErrors, .forms, .otpauth, .cookies, .png,
    .qrcode, .cbor, .attestation, .listener, .head, .redirect, .snapshot, .credential, .classic,
    .script, .replies, .nonces, .proofs, .boundKeys,
    .text, .redactor, .timestamp, .saml, .page, .recording, .redaction,
  ]

  /// All valid inputs, including small generated ones.
  var inputs: [[UInt8]] {
    seeds.map { Array($0.utf8) }
      + GrowthCase.all.filter { $0.target.name == name }.map { $0.make(3) }
  }
}
