import Expectations
import IDX
import Testing

/// References to authenticators.
struct ReferenceTests {
  private static let authenticators = #"""
    "currentAuthenticator":{"value":{"key":"current"}},
    "currentAuthenticatorEnrollment":{"value":{"key":"enrolled"}},
    "authenticators":{"value":[{"key":"first"},"stray",{"key":"third"}]}
    """#

  @Test(
    "A path is followed in every spelling",
    arguments: [
      (#""$.currentAuthenticator""#, ["current"]), (#""currentAuthenticator""#, ["current"]),
      (#""$.currentAuthenticator.value""#, ["current"]),
      (#"["$.currentAuthenticatorEnrollment"]"#, ["enrolled"]),
      (#""$.authenticators.value[0]""#, ["first"]), (#""authenticators.value[2]""#, ["third"]),
      (#"["$.authenticators.value[2]","$.currentAuthenticator"]"#, ["third", "current"]),
      // A path that leads nowhere is ignored.
      (#""$.authenticators.value[1]""#, []), (#""$.authenticators.value[3]""#, []),
      (#""$.authenticators.value[-1]""#, []), (#""$.authenticators.value[x]""#, []),
      (#""$.authenticators.value[]""#, []), (#""$.authenticators.value[0""#, []),
      (#""$.authenticators.value""#, []), (#""$.authenticators""#, []), (#""$""#, []),
      (#""$.""#, []), (#""""#, []), (#""$.captcha""#, []), (#""$.authenticatorEnrollments""#, []),
      (#""$.currentAuthenticatorX""#, []), (#""$.currentAuthenticator.profile""#, []),
      (#""$.authenticators.value[99999999999999999999]""#, []),
      (#""$.authenticators.value[4294967296]""#, []), (#""$.authenticators.value[+0]""#, []),
      (#""$.authenticators.value[0x0]""#, []),
      ("null", []), ("7", []), ("{}", []), (#"[null,{},["$.currentAuthenticator"]]"#, []),
      (#"[4,"$.currentAuthenticator",null]"#, ["current"]),
      (#"["$.authenticators.value[99]","$.currentAuthenticator"]"#, ["current"]),
    ] as [(String, [IDXAuthenticator.Key])])
  func spellings(_ reference: String, _ keys: [IDXAuthenticator.Key]) throws {
    let response = try IDXResponse(
      text: #"""
        {"remediation":{"value":[{"name":"a","relatesTo":\#(reference),"value":[
           {"name":"f","relatesTo":\#(reference),"form":{"value":[{"name":"g","options":[
             {"label":"o","relatesTo":\#(reference)}]}]}}]}]},
         "act":{"name":"act","href":"/","relatesTo":\#(reference)},\#(Self.authenticators)}
        """#)
    let form = try require(response.remediations.first)
    expectEqual(form.authenticators.map(\.key), keys)
    expectEqual(form["f"]?.authenticator?.key, keys.first)
    expectEqual(form["f.g"]?.options.first?.authenticator?.key, keys.first)
    expectEqual(response.action("act")?.authenticators.map(\.key), keys)
  }

  @Test(
    "Each option has its own authenticator, and positions count elements that are not authenticators"
  )
  func positions() throws {
    let response = try Fixture.response("23-odd-shapes/02-references")
    expectEqual(response.authenticators(in: .authenticatorEnrollments).map(\.index), [1, 2])
    let options = try require(
      response[.selectAuthenticatorAuthenticate]?["authenticator"]?.options)
    expectEqual(options.map(\.label), ["Password", "Gone"])
    expectEqual(options.map(\.authenticator?.key), [.password, nil])
    expectEqual(options[1].raw["relatesTo"], "$.authenticatorEnrollments.value[7]")
  }

  @Test(
    "The current authenticator is that of the first remediation, otherwise the one at the top level"
  )
  func current() throws {
    func current(_ relatesTo: String, _ rest: String) throws -> IDXAuthenticator.Key? {
      let text = #"{"remediation":{"value":[{"name":"a"\#(relatesTo)}]}\#(rest)}"#
      return try IDXResponse(text: text).currentAuthenticator?.key
    }
    let all = "," + Self.authenticators
    try expectEqual(current(#","relatesTo":["$.authenticators.value[0]"]"#, all), "first")
    try expectEqual(current(#","relatesTo":["$.authenticators.value[9]"]"#, all), "enrolled")
    try expectEqual(current("", all), "enrolled")
    try expectEqual(current("", #","currentAuthenticator":{"value":{"key":"c"}}"#), "c")
    try expectEqual(current("", ""), nil)
  }

  @Test("Authenticators are sorted by container, then in server order")
  func containers() throws {
    let text = #"""
      {"version":"1.0.0","authenticatorEnrollments":{"value":[{"key":"g"},{"key":"h"}]},
       "authenticators":{"value":[{"key":"f"}]},"authenticatorChallenge":{"value":{"key":"e"}},
       "recoveryAuthenticator":{"value":{"key":"d"}},"enrollmentAuthenticator":{"value":{"key":"c"}},
       "currentAuthenticatorEnrollment":{"value":{"key":"b"}},
       "currentAuthenticator":{"value":{"key":"a"}}}
      """#
    let response = try IDXResponse(text: text)
    expectEqual(response.authenticators.map(\.key), ["a", "b", "c", "d", "e", "f", "g", "h"])
    expectEqual(response.authenticators.map(\.index), [nil, nil, nil, nil, nil, 0, 0, 1])
    expectEqual(
      Set(response.authenticators.map(\.container)), Set(IDXAuthenticator.Container.allCases))
  }

  @Test(
    "Each reference finds its authenticator among many, before or after it",
    arguments: [3, 32, 33, 200])
  func many(count: Int) throws {
    let list = (0..<count).map { #"{"key":"k\#($0)"}"# }.joined(separator: ",")
    let options = (0...count).map {
      #"{"label":"\#($0)","value":"\#($0)","relatesTo":"$.authenticators.value[\#($0)]"}"#
    }.joined(separator: ",")
    let authenticators = """
      "currentAuthenticator":{"value":{"key":"current"}},"authenticators":{"value":["stray",\(list)]}
      """
    let remediation = """
      "remediation":{"value":[{"name":"pick","relatesTo":["$.currentAuthenticator"],
       "value":[{"name":"it","options":[\(options)]}]}]}
      """
    for text in ["{\(authenticators),\(remediation)}", "{\(remediation),\(authenticators)}"] {
      let form = try require(IDXResponse(parsing: text.utf8).remediations.first)
      let keys = try require(form["it"]).options.map { $0.authenticator?.key?.rawValue }
      expectEqual(keys, [nil] + (0..<count).map { "k\($0)" })
      expectEqual(form.authenticators.map(\.key), ["current"])
    }
  }
}
