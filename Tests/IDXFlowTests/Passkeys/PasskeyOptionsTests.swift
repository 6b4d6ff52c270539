import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import SignInSupport
import Testing

@testable import IDXFlow

/// Passkey options.
struct PasskeyOptionsTests {
  @Test("All options for a new passkey are read; missing ones have the defaults of the standard")
  func registration() throws {
    let options = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting(
          "excludeCredentials", [["type": "public-key", "id": "CQkJ", "transports": ["usb"]]]
        )
        .setting(
          "authenticatorSelection", ["userVerification": "required", "requireResidentKey": true]
        )
        .setting("timeout", 60000)))
    expectEqual(options.site, "id.shop.example")
    expectEqual(options.siteName, "Corner Shop")
    expectEqual(options.user.id, [1, 2, 3])
    expectEqual(options.user.name, "ada@shop.example")
    expectEqual(options.user.displayName, "Ada Byron")
    expectEqual(options.challenge, Array("shop-enroll-inv".utf8))
    expectEqual(options.algorithms, [-7, -257])
    expectEqual(options.excluded, [PasskeyDescriptor(id: [9, 9, 9], transports: ["usb"])])
    expectEqual(options.userVerification, .required)
    expectEqual(options.residentKey, .required)
    expectEqual(options.attestation, "direct")
    expectEqual(options.timeout, .seconds(60))

    let defaults = try PasskeyCreationOptions(
      Wire.registration(Wire.activation.setting("attestation", nil)))
    expectEqual(defaults.userVerification, .preferred)
    expectEqual(defaults.residentKey, .discouraged)
    expectEqual(defaults.attestation, "none")
    expectEqual(defaults.timeout, nil)
    expectEmpty(defaults.excluded)
  }

  @Test("The client data contain type, challenge and origin, in the order of the standard")
  func clientData() throws {
    let options = try PasskeyCreationOptions(Wire.registration())
    expectEqual(
      String(decoding: options.clientData.json, as: UTF8.self),
      #"{"type":"webauthn.create","challenge":"c2hvcC1lbnJvbGwtaW52","#
        + #""origin":"https://id.shop.example","crossOrigin":false}"#)
    expectEqual(options.clientData.hash, HashFunction.sha256.hash(options.clientData.json))
    let challenge = try PasskeyRequestOptions(Wire.signature())
    expectPrefix(
      String(decoding: challenge.clientData.json, as: UTF8.self), #"{"type":"webauthn.get","#)
  }

  @Test(
    "The site is the one that the server names, or the host of the app ID or issuer",
    arguments: [
      (["rp": ["id": "shop.example"], "rpId": "id.shop.example"], "shop.example"),
      (["rpId": "ID.shop.example"], "id.shop.example"),
      (["u2fParams": ["appid": "https://shop.example:1802"]], "shop.example"),
      (["extensions": ["appid": "https://shop.example"]], "shop.example"),
      (["extensions": ["appid": "https://another.example"]], "id.shop.example"),
      ([:], "id.shop.example"),
    ] as [(JSONValue, String)])
  func site(data: JSONValue, site: String) throws {
    let challenge = try PasskeyRequestOptions(
      Wire.signature(data.setting("challenge", "c2hvcC1lbnJvbGwtaW52")))
    expectEqual(challenge.site, site)
  }

  @Test(
    "A passkey for a site that does not belong to the org, or for a part of an address, is refused",
    .promise("passkey-domain"),
    arguments: [
      (Wire.origin, "another.example"), (Wire.origin, "example"), (Wire.origin, "d.shop.example"),
      (Wire.origin, "x.id.shop.example"), (Wire.origin, ""), ("https://shop.example", "example"),
      ("https://shop.example.", "example."), ("https://10.20.0.1", "0.1"),
      ("https://10.20.0.1", "20.0.1"),
    ])
  func foreignSite(issuer: String, site: String) throws {
    let origin = Origin(try require(URL(string: issuer)))
    let parser = PasskeyOptionsParser(data: ["rpId": .string(site)], origin: origin)
    let error = #expect(throws: PasskeyError.self) { try parser.site }
    expectEqual(error?.code, .siteRefused)
    guard issuer == Wire.origin else { return }
    let step = try Wire.signature(Wire.challenge.setting("rpId", .string(site)))
    let other = #expect(throws: PasskeyError.self) { try PasskeyRequestOptions(step) }
    expectEqual(other?.code, .siteRefused)
  }

  @Test("Only passkeys of the account may sign, and without a username any passkey for the site")
  func allowed() throws {
    let challenge = try PasskeyRequestOptions(
      Wire.signature(enrollments: [
        Wire.enrollment("AQID"), Wire.enrollment("BAUG"),
        Wire.enrollment("CQkJ", key: "symantec_vip"), Wire.enrollment("?"),
      ]))
    expectEqual(challenge.allowed.map(\.id), [[1, 2, 3], [4, 5, 6]])

    let autofill = try PasskeyRequestOptions(
      Wire.autofill(enrollments: [Wire.enrollment("AQID")]))
    expectEmpty(autofill.allowed)
    expectEqual(autofill.challenge, Array("shop-enroll-inv".utf8))
  }

  @Test(
    "Bytes are read as Base64 or Base64url, with or without padding, and a user ID also as text")
  func alphabets() throws {
    expectEqual(PasskeyOptionsParser.bytes("-_8"), [0xfb, 0xff])
    expectEqual(PasskeyOptionsParser.bytes("+/8="), [0xfb, 0xff])
    expectEqual(PasskeyOptionsParser.bytes("a b"), nil)

    let user: JSONValue = ["id": "ada@shop.example", "name": "ada"]
    let options = try PasskeyCreationOptions(
      Wire.registration(Wire.activation.setting("user", user)))
    expectEqual(options.user.id, Array("ada@shop.example".utf8))
    expectEqual(options.user.displayName, "ada")
  }

  @Test(
    "Options without a challenge, a user or data are an error",
    arguments: ["challenge", "user"])
  func damaged(name: String) throws {
    let step = try Wire.registration(Wire.activation.setting(name, nil))
    let error = #expect(throws: PasskeyError.self) { try PasskeyCreationOptions(step) }
    expectEqual(error?.code, .unreadableRequest)
    let other = #expect(throws: PasskeyError.self) { try PasskeyRequestOptions(step) }
    expectEqual(other?.code, .unreadableRequest)
  }
}
