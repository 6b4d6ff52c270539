import IDXBase
import IDX
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("What servers want of passkeys")
struct PasskeyRequestTests {
  @Test("A registration tells whose passkey it will be, for which site, and of which kinds")
  func registration() throws {
    let request = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting(
          "excludeCredentials", [["type": "public-key", "id": "CQkJ", "transports": ["usb"]]]
        )
        .setting(
          "authenticatorSelection", ["userVerification": "required", "requireResidentKey": true]
        )
        .setting("timeout", 60000)))
    #expect(request.site == "id.shop.example")
    #expect(request.siteName == "Corner Shop")
    #expect(request.user.id == [1, 2, 3])
    #expect(request.user.name == "ada@shop.example")
    #expect(request.user.displayName == "Ada Byron")
    #expect(request.challenge == Array("shop-enroll-inv".utf8))
    #expect(request.algorithms == [-7, -257])
    #expect(request.excluded == [PasskeyDescriptor(id: [9, 9, 9], transports: ["usb"])])
    #expect(request.userVerification == .required)
    #expect(request.residentKey == .required)
    #expect(request.attestation == "direct")
    #expect(request.timeout == .seconds(60))
  }

  @Test("What a server does not say is as the standard has it")
  func defaults() throws {
    let request = try PasskeyCreationOptions(
      Wire.registration(Wire.activation.setting("attestation", nil)))
    #expect(request.userVerification == .preferred)
    #expect(request.residentKey == .discouraged)
    #expect(request.attestation == "none")
    #expect(request.timeout == nil)
    #expect(request.excluded.isEmpty)
  }

  @Test("A user id that is no Base64 for URLs is taken as its own bytes")
  func plainUserID() throws {
    let user: JSONValue = ["id": "ada@shop.example", "name": "ada"]
    let request = try PasskeyCreationOptions(
      Wire.registration(Wire.activation.setting("user", user)))
    #expect(request.user.id == Array("ada@shop.example".utf8))
    #expect(request.user.displayName == "ada")
  }

  @Test("The client data hold type, challenge and origin, in the order of the standard")
  func clientData() throws {
    let request = try PasskeyCreationOptions(Wire.registration())
    #expect(
      String(decoding: request.clientData.json, as: UTF8.self)
        == #"{"type":"webauthn.create","challenge":"c2hvcC1lbnJvbGwtaW52","#
        + #""origin":"https://id.shop.example","crossOrigin":false}"#)
    #expect(request.clientData.hash == HashFunction.sha256.hash(request.clientData.json))
    let challenge = try PasskeyRequestOptions(Wire.signature())
    #expect(
      String(decoding: challenge.clientData.json, as: UTF8.self).hasPrefix(
        #"{"type":"webauthn.get","#))
  }

  @Test(
    "The site is what the server names, else its app id's host, else the issuer's",
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
    #expect(challenge.site == site)
  }

  @Test(
    "A passkey for a site that is not the org's is refused",
    arguments: ["another.example", "example", "d.shop.example", "x.id.shop.example", ""])
  func foreignSite(site: String) throws {
    let step = try Wire.signature(Wire.challenge.setting("rpId", .string(site)))
    let error = #expect(throws: PasskeyError.self) { try PasskeyRequestOptions(step) }
    #expect(error?.code == .siteRefused)
  }

  @Test("Only passkeys of the account may sign, other enrolments aside")
  func allowed() throws {
    let challenge = try PasskeyRequestOptions(
      Wire.signature(enrollments: [
        Wire.enrollment("AQID"), Wire.enrollment("BAUG"),
        Wire.enrollment("CQkJ", key: "symantec_vip"), Wire.enrollment("?"),
      ]))
    #expect(challenge.allowed.map(\.id) == [[1, 2, 3], [4, 5, 6]])
  }

  @Test("Without a user name any passkey for the site may sign")
  func autofill() throws {
    let challenge = try PasskeyRequestOptions(Wire.autofill())
    #expect(challenge.allowed.isEmpty)
    #expect(challenge.challenge == Array("shop-enroll-inv".utf8))
  }

  @Test("Either alphabet of Base64 is read, with padding and without")
  func alphabets() {
    #expect(PasskeyOptionsParser.bytes("-_8") == [0xfb, 0xff])
    #expect(PasskeyOptionsParser.bytes("+/8=") == [0xfb, 0xff])
    #expect(PasskeyOptionsParser.bytes("a b") == nil)
  }

  @Test(
    "A request that lacks its challenge, its user or its data is an error",
    arguments: ["challenge", "user"])
  func damaged(name: String) throws {
    let step = try Wire.registration(Wire.activation.setting(name, nil))
    let error = #expect(throws: PasskeyError.self) { try PasskeyCreationOptions(step) }
    #expect(error?.code == .unreadableRequest)
    let other = #expect(throws: PasskeyError.self) { try PasskeyRequestOptions(step) }
    #expect(other?.code == .unreadableRequest)
  }
}
