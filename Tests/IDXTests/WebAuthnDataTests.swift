import IDX
import Testing

@Suite("What passkeys bring beside forms")
struct WebAuthnDataTests {
  @Test("Each passkey of the person has an id, and the ways to reach it")
  func enrollments() throws {
    let response = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","authenticatorEnrollments":{"type":"array","value":[
          {"key":"webauthn","credentialId":"AQID","transports":["usb","nfc"]},
          {"key":"webauthn","credentialId":"BAUG"},{"key":"okta_password"}]}}
        """#.utf8))
    let keys = response.authenticators(in: .authenticatorEnrollments)
    #expect(keys.map(\.credentialID) == ["AQID", "BAUG", nil])
    #expect(keys.map(\.transports) == [["usb", "nfc"], [], []])
  }

  @Test("A challenge for whoever it may be stands beside the forms")
  func autofill() throws {
    let response = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","webauthnAutofillUIChallenge":{"type":"object","value":
          {"challengeData":{"challenge":"AQID"}}}}
        """#.utf8))
    #expect(response.webAuthnAutofillChallenge?["challenge"] == "AQID")
    let plain = try IDXResponse(parsing: Array(#"{"version":"1.0.0"}"#.utf8))
    #expect(plain.webAuthnAutofillChallenge == nil)
  }
}
