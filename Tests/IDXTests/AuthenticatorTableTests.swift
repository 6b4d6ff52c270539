import IDX
import Testing

@Suite("References among many authenticators")
struct AuthenticatorTableTests {
  @Test(
    "Each reference finds its authenticator, however many there are", arguments: [3, 32, 33, 200])
  func many(count: Int) throws {
    let list = (0..<count).map { #"{"key":"k\#($0)"}"# }.joined(separator: ",")
    let options = (0...count).map {
      #"{"label":"\#($0)","value":"\#($0)","relatesTo":"$.authenticators.value[\#($0)]"}"#
    }.joined(separator: ",")
    let text = """
      {"currentAuthenticator":{"value":{"key":"current"}},"authenticators":{"value":["stray",\(list)]},
       "remediation":{"value":[{"name":"pick","relatesTo":["$.currentAuthenticator"],
         "value":[{"name":"it","options":[\(options)]}]}]}}
      """
    let form = try #require(try IDXResponse(parsing: text.utf8).remediations.first)
    let keys = try #require(form["it"]).options.map { $0.authenticator?.key?.rawValue }
    #expect(keys == [nil] + (0..<count).map { "k\($0)" })
    #expect(form.authenticators.map(\.key) == ["current"])
  }
}
