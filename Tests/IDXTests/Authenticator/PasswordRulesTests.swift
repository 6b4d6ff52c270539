import Expectations
import IDX
import Testing

/// Password rules.
struct PasswordRulesTests {
  @Test(
    "Each rule is broken just below its limit, and followed at the limit",
    arguments: [
      (#"{"minLength": 4}"#, "abc", "abcd", PasswordRule.length(4)),
      (#"{"minLowerCase": 2}"#, "aB1", "abB1", .lowerCase(2)),
      (#"{"minUpperCase": 2}"#, "Ab", "AbC", .upperCase(2)),
      (#"{"minNumber": 1}"#, "ab", "a1", .digits(1)),
      (#"{"minSymbol": 2}"#, "a!", "a!?", .symbols(2)),
      (#"{"minSymbol": 1}"#, "ab", "a b", .symbols(1)),
      (#"{"maxConsecutiveRepeatingCharacters": 2}"#, "xaaay", "aabaa", .repeats(2)),
      (#"{"excludeUsername": true}"#, "xADA@shop.exampley", "adasho", .username),
      (#"{"excludeAttributes": ["firstName"]}"#, "1AUGUSTA1", "1august1", .attribute("firstName")),
    ])
  func edges(complexity: String, bad: String, good: String, rule: PasswordRule) throws {
    let rules = try rules(complexity)
    expectEqual(rules.checkable, [rule])
    expectEqual(violations(of: bad, rules), [rule])
    expectEqual(violations(of: good, rules), [])
  }

  @Test(
    "Parts of the username, and a username, count if they have four or more characters",
    arguments: [
      ("lovelace", true), ("shop", true), ("example", true), ("ada", false), ("LoveLace9", true),
      ("love", false),
    ])
  func parts(password: String, isBroken: Bool) throws {
    let rules = try rules(#"{"excludeUsername": true}"#)
    let broken = rules.violations(of: password, username: "ada.lovelace@shop.example")
    expectEqual(broken, (isBroken ? [.username] : []))
    expectEqual(rules.violations(of: "Balance-1843", username: "al"), [])
  }

  @Test("All broken rules are reported, in a fixed order")
  func together() throws {
    let rules = try rules(
      #"""
      {"minLength": 8, "minLowerCase": 1, "minUpperCase": 1, "minNumber": 1, "minSymbol": 1,
       "excludeUsername": true, "excludeAttributes": ["lastName"],
       "maxConsecutiveRepeatingCharacters": 1}
      """#)
    let all: [PasswordRule] = [
      .length(8), .lowerCase(1), .upperCase(1), .digits(1), .symbols(1), .repeats(1), .username,
      .attribute("lastName"),
    ]
    expectEqual(rules.checkable, all)
    expectEqual(violations(of: "", rules), Array(all.prefix(5)))
    expectEqual(violations(of: "Aa1!bcde", rules), [])
  }

  @Test("Attributes that are unknown or empty, and counts of zero and below, are not checked")
  func unknown() throws {
    let rules = try rules(#"{"excludeUsername": true, "excludeAttributes": ["firstName"]}"#)
    expectEqual(rules.violations(of: "anything", username: nil), [])
    expectEqual(rules.violations(of: "anything", username: "", attributes: ["firstName": ""]), [])
    try expectEqual(self.rules(#"{"minLength": 0, "minNumber": -3}"#).checkable, [])
    // A limit on repeats is at least one.
    try expectEqual(
      self.rules(#"{"maxConsecutiveRepeatingCharacters": 0}"#).checkable, [.repeats(1)])
  }

  @Test(
    "Letters and digits of any script count, and a password that a server may accept is not refused",
    arguments: [
      (#"{"minLength": 3, "minUpperCase": 1, "minSymbol": 1}"#, "Éß…", []),
      (#"{"minLength": 3, "minUpperCase": 1, "minSymbol": 1}"#, "👩‍🚀é", [.upperCase(1)]),
      // Servers count these in different ways.
      (#"{"minLength": 4}"#, "e\u{301}e\u{301}", []), (#"{"minLength": 4}"#, "😀😀", []),
      (#"{"minSymbol": 1}"#, "½", []), (#"{"minSymbol": 1}"#, "e\u{301}", []),
      (#"{"minSymbol": 1}"#, "ñ", []), (#"{"minNumber": 1}"#, "٣", []),
      (#"{"minLowerCase": 1}"#, "e\u{301}", []), (#"{"minUpperCase": 2}"#, "ÀA\u{300}", []),
      (#"{"maxConsecutiveRepeatingCharacters": 1}"#, "😀😀", []),
      (#"{"maxConsecutiveRepeatingCharacters": 1}"#, "\u{e9}e\u{301}", []),
    ] as [(String, String, [PasswordRule])])
  func counting(complexity: String, password: String, broken: [PasswordRule]) throws {
    expectEqual(violations(of: password, try rules(complexity)), broken)
  }

  @Test(
    "Each rule has a short description",
    arguments: [
      (PasswordRule.length(8), "at least 8 characters"), (.length(1), "at least 1 character"),
      (.lowerCase(1), "a lowercase letter"),
      (.lowerCase(2), "2 lowercase letters"), (.upperCase(1), "an uppercase letter"),
      (.digits(3), "3 digits"), (.symbols(1), "a symbol"),
      (.repeats(1), "no character twice in a row"),
      (.repeats(2), "no character more than 2 times in a row"),
      (.username, "no part of the username"), (.attribute("firstName"), "not the first name"),
      (.attribute("lastName"), "not the last name"), (.attribute("nickName"), "not the nickName"),
    ])
  func words(rule: PasswordRule, text: String) { expectEqual(rule.description, text) }

  private func violations(
    of password: String, _ rules: IDXAuthenticator.PasswordRules
  ) -> [PasswordRule] {
    rules.violations(
      of: password, username: "ada@shop.example",
      attributes: ["firstName": "Augusta", "lastName": "Lovelace"])
  }

  private func rules(_ complexity: String) throws -> IDXAuthenticator.PasswordRules {
    let response = try IDXResponse(
      text: #"""
        {"currentAuthenticator": {"value": {"type": "password",
         "settings": {"complexity": \#(complexity)}}}, "version": "1.0.0"}
        """#)
    return try require(response.authenticators.first?.passwordRules)
  }
}
