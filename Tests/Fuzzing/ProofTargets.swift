import Foundation
import IDXBase

@testable import IDXOAuth
@testable import IDXSimulatedOrg

extension FuzzTarget {
  /// Responses to requests with a proof: a nonce that is sent back cannot end its text or be too long.
  ///
  /// The first line is the header field with a nonce, the second a challenge, and the rest the body.
  static let nonces = FuzzTarget(
    name: "nonces",
    seeds: [
      "a-Nonce.1~\nDPoP error=\"use_dpop_nonce\", algs=\"ES256\"\n{\"error\":\"use_dpop_nonce\"}",
      "\nBearer error=\"invalid_token\"\n",
    ]
  ) { bytes in
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    let response = TransportResponse(
      status: 401,
      headers: ["DPoP-Nonce": lines[0], "WWW-Authenticate": lines.count > 1 ? lines[1] : ""],
      body: Array((lines.count > 2 ? lines[2] : "").utf8))
    _ = response.proofRefusal
    guard let nonce = DPoPProver.nonce(in: response) else { return }
    precondition(
      (1...DPoPNonce.maximumLength).contains(nonce.utf8.count), "The nonce is too long.")
    precondition(
      JSONValue.string(nonce).text.utf8.count == nonce.utf8.count + 2,
      "The nonce contains characters that JSON escapes.")
  }

  /// Proofs for a request: none is accepted, because no key has signed them.
  static let proofs = FuzzTarget(
    name: "proofs",
    seeds: [
      proof(#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#, #"{"htm":"GET","iat":1}"#),
      proof(#"{"typ":"dpop+jwt","alg":"none","jwk":{}}"#, "{}"),
    ]
  ) { bytes in
    var check = DPoPCheck()
    guard let url = URL(string: "https://api.shop.example/orders") else {
      preconditionFailure("The address of the test is not a URL.")
    }
    let result = Result { () throws(DPoPCheck.Problem) in
      try check.thumbprint(
        of: String(decoding: bytes, as: UTF8.self), for: TransportRequest(url: url), token: nil,
        at: Date(timeIntervalSince1970: 1), nonceLifetime: nil)
    }
    if case .success = result { preconditionFailure("A proof that nobody signed was accepted.") }
  }

  /// Keys of tokens: a written key is read as the same.
  static let boundKeys = FuzzTarget(name: "bound-keys", seeds: [jwk]) { bytes in
    guard let key = try? JSONDecoder().decode(DPoPKey.self, from: Data(bytes)) else { return }
    guard let written = try? JSONEncoder().encode(key) else {
      preconditionFailure("A key cannot be written.")
    }
    precondition(
      (try? JSONDecoder().decode(DPoPKey.self, from: written)) == key,
      "A written key is read as another.")
    _ = try? key.signature(of: [1])
  }

  private static let number = String(repeating: "A", count: 42) + "E"
  private static let jwk =
    #"{"kty":"EC","crv":"P-256","x":"\#(number)","y":"\#(number)","d":"\#(number)"}"#

  static func proof(_ header: String, _ claims: String) -> String {
    let parts = [header, claims, String(repeating: "s", count: 64)]
    return parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
  }
}
