import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXFlow

/// Passkeys as JSON, for a browser.
struct PasskeyJSONTests {
  @Test("The options have the names of WebAuthn, and bytes in Base64url")
  func options() throws {
    let create = PasskeyCreationOptions(
      site: "example.com", issuer: try require(URL(string: "https://example.com")),
      user: .init(id: [0xfb, 0xff], name: "ada", displayName: "Ada Byron"), challenge: [1, 2, 3])
    expectEqual(
      create.json,
      [
        "rp": ["id": "example.com", "name": "example.com"],
        "user": ["id": "-_8", "name": "ada", "displayName": "Ada Byron"],
        "challenge": "AQID", "pubKeyCredParams": [["type": "public-key", "alg": -7]],
        "excludeCredentials": [],
        "authenticatorSelection": ["userVerification": "preferred", "residentKey": "preferred"],
        "attestation": "none",
      ])
    let sign = PasskeyRequestOptions(
      site: "example.com", issuer: try require(URL(string: "https://example.com")),
      challenge: [1, 2, 3], allowed: [PasskeyDescriptor(id: [0xff], transports: ["usb"])])
    expectEqual(
      sign.json,
      [
        "rpId": "example.com", "challenge": "AQID",
        "allowCredentials": [["type": "public-key", "id": "_w", "transports": ["usb"]]],
        "userVerification": "preferred",
      ])
  }

  @Test("What a browser returns becomes a reply, and what is damaged none")
  func replies() {
    let created = """
      {"id":"AQ","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA",
      "transports":["internal"]}}
      """
    expectEqual(
      Reply(passkeyJSON: created),
      .created(
        PasskeyAttestation(
          clientData: [0x7b, 0x7d], attestationObject: [0xa0], transports: ["internal"])))
    let signed = """
      {"response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AQ","userHandle":"Ag"}}
      """
    expectEqual(
      Reply(passkeyJSON: signed),
      .signed(
        PasskeyAssertion(
          clientData: [0x7b, 0x7d], authenticatorData: [0], signature: [1], userHandle: [2])))
    for damaged in ["", "NotAllowedError", "{}", created.replacing("oA", with: "*")] {
      expectEqual(Reply(passkeyJSON: damaged), nil)
    }
  }
}
