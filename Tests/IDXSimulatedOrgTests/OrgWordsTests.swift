import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// The language of the org.
struct OrgWordsTests {
  /// The texts of a sign-in with a wrong password and an email.
  private func texts(
    _ language: String?
  ) async throws -> (label: String?, message: IDXMessage?, mail: String?) {
    var client = try await OrgClient(makeOrg(.required(.email), [.email]))
    client.headers["Accept-Language"] = language
    try await client.introspect()
    let label = client.form("identify")?["value"]?[0]?["label"]?.string
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    try await client.answer("wrong")
    let message = try client.read().allMessages.first
    try await client.answer("Analytical-1843")
    try await client.fill(.authenticatorVerificationData)
    return (label, message, await client.org.mailbox.messages.last?.text)
  }

  @Test(
    "A client that asks for German gets German texts with the same keys, and for others English ones"
  )
  func german() async throws {
    let (english, german) = (try await texts(nil), try await texts("de-AT"))
    expectEqual(english.label, "Username")
    expectEqual(german.label, "Benutzername")
    expectEqual(german.message?.text, "Das Passwort ist falsch.")
    expectEqual(german.message?.key, english.message?.key)
    expectEqual(german.mail?.hasPrefix("Ihr Code für demo.okta.example ist "), true)
    expectEqual(english.mail?.hasPrefix("Your code for demo.okta.example is "), true)
    for language in ["en", "fr", "den"] {
      try await expectEqual(texts(language).message?.text, "The password is wrong.", language)
    }
  }
}
