import Expectations
import IDX
import Testing

/// Encoding answers.
struct AnswerEncodingTests {
  @Test(
    "Fixed values of any type are sent byte by byte as the server wrote them, even if they are hidden"
  )
  func fixedValues() throws {
    let form = try Remediation.with(
      fields: #"""
        {"name":"text","value":"007","mutable":false},{"name":"number","value":1.50,"mutable":false},
        {"name":"flag","value":false,"mutable":false},{"name":"none","value":null,"mutable":false},
        {"name":"list","value":[1,{"a":"b"}],"mutable":false},
        {"name":"object","value":{"b":1,"a":[]},"mutable":false}
        """#)
    try expectEqual(
      form.text(),
      #"{"text":"007","number":1.50,"flag":false,"none":null,"list":[1,{"a":"b"}],"object":{"b":1,"a":[]}}"#
    )
    let written = try Remediation.with(
      fields: #"""
        {"name":"a\u0062","value": "x\/\ud83d \u00e9" ,"mutable":false},
        {"name":"object","value":{ "a" : [ 1.0e2 ] },"required":true}
        """#)
    try expectEqual(written.text(), #"{"ab":"x\/\ud83d \u00e9","object":{ "a" : [ 1.0e2 ] }}"#)
    let hidden = try Remediation.with(
      fields: #"{"name":"a","value":"x","mutable":false,"visible":false,"required":false}"#)
    try expectEqual(hidden.text(), #"{"a":"x"}"#)
  }

  @Test("An answer can repeat a fixed value, but not change it, unless there is no value")
  func changingFixedValues() throws {
    let form = try Remediation.with(
      fields: #"{"name":"a","label":"A","value":"x","mutable":false}"#)
    expectEqual(
      form.problems(answering: ["a": "y"]), [.init(path: "a", label: "A", reason: .notChangeable)])
    expectEqual(form.faults(answering: ["a": .option(0)]), [Fault("a", .notChangeable)])
    expectEqual(form.faults(answering: ["a": "X"]), [Fault("a", .notChangeable)])
    try expectEqual(form.text(answering: ["a": "x"]), #"{"a":"x"}"#)
    try expectEqual(form.text(answering: ["a": ""]), #"{"a":"x"}"#)
    let empty = try Remediation.with(fields: #"{"name":"a","mutable":false,"required":true}"#)
    expectEqual(empty.faults(), [Fault("a", .missing)])
    try expectEqual(empty.text(answering: ["a": "x"]), #"{"a":"x"}"#)
  }

  @Test("A default, which null is not, is sent unless there is an answer")
  func defaults() throws {
    let form = try Remediation.with(
      fields:
        #"{"name":"a","value":"x","required":true},{"name":"b","value":true,"type":"boolean"}"#)
    try expectEqual(form.text(), #"{"a":"x","b":true}"#)
    try expectEqual(form.text(answering: ["a": "y", "b": false]), #"{"a":"y","b":false}"#)
    try expectEqual(form.text(answering: ["a": ""]), #"{"a":"x","b":true}"#)
    let without = try Remediation.with(
      fields: #"{"name":"a","value":null,"required":true},{"name":"b","value":null}"#)
    expectEqual(without.faults(), [Fault("a", .missing)])
    try expectEqual(without.text(answering: ["a": "x"]), #"{"a":"x"}"#)
  }

  @Test(
    "A field that is neither required nor answered, also with an empty text or null, is left out")
  func optionalFields() throws {
    let fixture = try Fixture.form("02-identity-first/01-identify")
    let body = try fixture.body(answering: ["identifier": "amal"])
    expectEqual(body.object?.members.map(\.name), ["identifier", "rememberMe", "stateHandle"])
    let other = try Remediation.with(fields: #"{"name":"a"},{"name":"b","type":"boolean"}"#)
    try expectEqual(other.text(), "{}")
    let form = try Remediation.with(
      fields: #"{"name":"a","required":true},{"name":"b"},{"name":"c","type":"boolean"}"#)
    for answer: Answer in ["", .value(.null)] {
      expectEqual(form.faults(answering: ["a": answer]), [Fault("a", .missing)])
      let answers: Answers = ["a": " ", "b": answer, "c": answer, "nowhere": answer]
      try expectEqual(form.text(answering: answers), #"{"a":" "}"#)
    }
  }

  @Test("A nested form becomes a nested object with all its fields")
  func nestedForms() throws {
    let form = try Fixture.form("07-phone-enroll/02-number")
    let body = try form.body(answering: [
      "authenticator.methodType": "voice", "authenticator.phoneNumber": "+94770000071",
    ])
    expectEqual(
      body["authenticator"]?.text,
      #"{"id":"autPHONE00000inv01","methodType":"voice","phoneNumber":"+94770000071"}"#)
    let deep = try Remediation.with(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"b","value":{"form":{"value":[
          {"name":"c","value":"1","mutable":false},{"name":"d"}]}}},{"name":"e"}]}}
        """#)
    try expectEqual(
      deep.text(answering: ["a.b.d": "2", "a.e": "3"]), #"{"a":{"b":{"c":"1","d":"2"},"e":"3"}}"#)
  }

  @Test("A nested form without answers is left out, unless it or one of its fields is required")
  func emptyNestedForms() throws {
    let optional = try Remediation.with(
      fields: #"{"name":"a","form":{"value":[{"name":"b"},{"name":"c"}]}}"#)
    try expectEqual(optional.text(), "{}")
    let required = try Remediation.with(
      fields: #"{"name":"a","required":true,"form":{"value":[{"name":"b"},{"name":"c"}]}}"#)
    expectEqual(required.faults(), [Fault("a", .missing)])
    try expectEqual(required.text(answering: ["a.c": "x"]), #"{"a":{"c":"x"}}"#)
    // If a required form has a single open field, that field is missing.
    let google = try Fixture.form("04-google-enroll/01-enroll")
    expectEqual(
      google.problems(),
      [.init(path: "credentials.passcode", label: "Code from the app", reason: .missing)])
    let inner = #""form":{"value":[{"name":"b","required":true},{"name":"c"}]}"#
    let silent = try Remediation.with(fields: #"{"name":"a",\#(inner)}"#)
    expectEqual(silent.faults(), [Fault("a.b", .missing)])
    // A form that is marked as not required needs its fields only if one of them is answered.
    for flag in ["false", #""false""#] {
      let form = try Remediation.with(fields: #"{"name":"a","required":\#(flag),\#(inner)}"#)
      try expectEqual(form.text(), "{}")
      expectEqual(form.faults(answering: ["a.c": "x"]), [Fault("a.b", .missing)])
      try expectEqual(form.text(answering: ["a.b": "x"]), #"{"a":{"b":"x"}}"#)
      try expectEqual(form.text(answering: ["a.b": "", "a.c": ""]), "{}")
    }
  }

  @Test("Fields with the same name are merged into one object, at every level")
  func sameNames() throws {
    let form = try Fixture.form("17-profile-update/01-three-of-one-name")
    let body = try form.body(answering: [
      "userProfile.city": "Galle", "userProfile.shopName": "Corner", "userProfile.newsletter": true,
    ])
    expectEqual(
      body["userProfile"]?.text, #"{"city":"Galle","shopName":"Corner","newsletter":true}"#)
    expectEqual(body.object?.members.map(\.name), ["userProfile", "stateHandle"])
    let least = try form.body(answering: ["userProfile.city": "Galle"])
    expectEqual(least["userProfile"]?.text, #"{"city":"Galle","newsletter":false}"#)
    let deep = try Remediation.with(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"b","form":{"value":[{"name":"c","value":"1"}]}}]}},
        {"name":"a","form":{"value":[{"name":"b","form":{"value":[{"name":"d","value":"2"}]}},
          {"name":"e","value":"3"}]}},
        {"name":"f","value":"old"},{"name":"f","value":"new"}
        """#)
    try expectEqual(deep.text(), #"{"a":{"b":{"c":"1","d":"2"},"e":"3"},"f":"new"}"#)
  }

  @Test("Answers whose paths are equally long belong to their own fields")
  func pathsOfOneLength() throws {
    let form = try Remediation.with(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"bcde"},{"name":"bcdf"},{"name":"éx"}]}},
        {"name":"ab","form":{"value":[{"name":"cde"},{"name":"cdf"},{"name":"x"}]}},
        {"name":"a.bcdg"},{"name":"ab.cdg"},{"name":"é.xyz"},{"name":"abcdef"},{"name":"abcdeg"}
        """#)
    let fields = [
      ["a", "bcde"], ["a", "bcdf"], ["a", "éx"], ["ab", "cde"], ["ab", "cdf"], ["ab", "x"],
      ["a.bcdg"], ["ab.cdg"], ["é.xyz"], ["abcdef"], ["abcdeg"],
    ]
    for missing in fields {
      var answers: [String: Answer] = [:]
      for field in fields where field != missing {
        let path = field.joined(separator: ".")
        answers[path] = .value(.string("at \(path)"))
      }
      let body = try form.body(answering: Answers(answers))
      for field in fields {
        let value = field.count == 1 ? body[field[0]] : body[field[0]]?[field[1]]
        expectEqual(
          value?.text, field == missing ? nil : "\"at \(field.joined(separator: "."))\"")
      }
    }
    expectEqual(
      form.faults(answering: ["a.bcd": "x", "a.bcdh": "x", "abc.de": "x", "b.bcde": "x"]),
      ["a.bcd", "a.bcdh", "abc.de", "b.bcde"].map { Fault($0, .unknown) })
  }

  @Test("Canonically equal names are the same, at every level and in forms of any size")
  func canonicallyEqualNames() throws {
    let others = (0..<40).map { #",{"name":"other\#($0)"}"# }.joined()
    for more in ["", others] {
      let form = try Remediation.with(
        fields: #"{"name":"é","value":"1"},{"name":"e\#u{301}","value":"2"}\#(more)"#)
      try expectEqual(form.body(answering: [:]).object?.members.count, 1)
    }
    // Both have two marks, in different orders.
    let (name, other) = ("a\u{307}\u{323}", "a\u{323}\u{307}")
    let inner = #"{"name":"\#(name)"}"#
    let form = try Remediation.with(
      fields: #"\#(inner),{"name":"o","form":{"value":[\#(inner)]}}"#)
    let body = try form.body(
      answering: Answers([other: "1", "o.\(other)": "2"]))
    expectEqual(body[name]?.text, #""1""#)
    expectEqual(body["o"]?[name]?.text, #""2""#)
  }

  @Test("A name with dots is one member, not a path")
  func dottedNames() throws {
    let form = try Fixture.form("18-consent/02-granular")
    let body = try form.body(answering: [
      "consent": true, "optedScopes.orders.read": true, "optedScopes.orders": false,
    ])
    expectEqual(
      body["optedScopes"]?.text,
      #"{"openid":true,"orders.read":true,"orders.read.history":false,"orders":false}"#)
  }

  @Test(
    "An answer has the type of its field: a text keeps leading zeros, and an unknown type takes any value",
    arguments: [
      ("string", "004217", #""004217""#), ("string", .value(4217), #""4217""#),
      ("string", true, #""true""#), ("string", "é\"\n", #""é\"\n""#),
      ("string", "null", #""null""#),
      (nil, "004217", #""004217""#), (nil, .value(4217), #""4217""#), (nil, true, #""true""#),
      (nil, "é\"\n", #""é\"\n""#), (nil, "null", #""null""#), ("boolean", true, "true"),
      ("boolean", "true", "true"), ("boolean", "False", "false"), ("boolean", false, "false"),
      ("vector", .value([1, "x"]), #"[1,"x"]"#),
    ] as [(String?, Answer, String)])
  func types(_ type: String?, _ answer: Answer, _ expected: String) throws {
    let member = type.map { #""type":"\#($0)","# } ?? ""
    let form = try Remediation.with(fields: #"{\#(member)"name":"a"}"#)
    try expectEqual(form.text(answering: ["a": answer]), #"{"a":\#(expected)}"#)
  }

  @Test("An answer of the wrong type is reported")
  func wrongTypes() throws {
    let form = try Remediation.with(
      fields: #"{"name":"a","type":"boolean"},{"name":"b"},{"name":"c","type":"string"}"#)
    expectEqual(
      form.faults(answering: ["a": "yes", "b": .value(["x"]), "c": .value(["x": 1])]),
      [
        Fault("a", .wrongType(.boolean)), Fault("b", .wrongType(.string)),
        Fault("c", .wrongType(.string)),
      ])
    expectEqual(form.faults(answering: ["a": .value(1)]), [Fault("a", .wrongType(.boolean))])
  }

  @Test(
    "A boolean with wrapped options is sent as a boolean, and plain options as the server wrote them"
  )
  func booleanOptions() throws {
    let form = try Remediation.with(
      fields: """
        {"name": "pet", "type": "boolean", "options": [{"label": "display", "value": {
          "type": "object", "value": {"inputType": "radio", "options": [
            {"label": "Yes", "value": "true"}, {"label": "No", "value": "false"}]}}}]}
        """)
    for answer: Answer in [true, "true", .option(0), .optionNamed("Yes")] {
      try expectEqual(form.body(answering: ["pet": answer])["pet"], true)
    }
    try expectEqual(form.body(answering: ["pet": .option(1)])["pet"], false)
    let plain = try Fixture.form("26-more-consent/03-written-as-texts")
    for answer: Answer in [true, "true", .option(0), .optionNamed("Allow")] {
      try expectEqual(plain.body(answering: ["consent": answer])["consent"], "true")
    }
    try expectEqual(plain.body(answering: ["consent": false])["consent"], "false")
    let flags = try Fixture.form("18-consent/01-consent")
    for answer: Answer in [true, .optionNamed("Allow"), .optionNamed("true")] {
      try expectEqual(flags.body(answering: ["consent": answer])["consent"], true)
    }
    for answer: Answer in ["false", .option(1)] {
      try expectEqual(flags.body(answering: ["consent": answer])["consent"], false)
    }
  }

  @Test("A field without a type has the type of its default, and takes a text for a number")
  func untyped() throws {
    let form = try Remediation.with(
      fields: """
        {"name": "remember", "value": false}, {"name": "count", "value": 5}, {"name": "code"}
        """)
    let body = try form.body(answering: ["remember": "true", "count": .value(6), "code": .value(7)])
    expectEqual(body["remember"], true)
    expectEqual(body["count"], 6)
    try expectEqual(form.body(answering: ["count": "42"])["count"], 42)
    expectEqual(body["code"], "7")
    let counts = try Remediation.with(
      fields: #"{"name":"count","value":5,"maxLength":2},{"name":"other","value":5}"#)
    try expectEqual(counts.text(answering: ["other": true]), #"{"count":5,"other":"true"}"#)
    expectEqual(
      counts.faults(answering: ["count": .value([])]), [Fault("count", .wrongType(.string))])
    expectEqual(counts.faults(answering: ["count": "six"]), [Fault("count", .tooLong(maximum: 2))])
  }

  @Test("The path of an answer has the characters of the field's name, not only its letters")
  func otherCharacters() throws {
    let form = try Remediation.with(fields: "{\"name\":\"caf\u{65}\u{301}\",\"required\":true}")
    try expectEqual(form.text(answering: ["cafe\u{301}": "x"]), "{\"cafe\u{301}\":\"x\"}")
    expectEqual(
      form.faults(answering: ["caf\u{E9}": "x"]),
      [Fault("cafe\u{301}", .missing), Fault("caf\u{E9}", .unknown)])
  }

  @Test("Options nested twenty levels deep are chosen by the innermost answer")
  func deepOptions() throws {
    var fields = #"{"name": "leaf", "required": true}"#
    for _ in 0..<20 {
      let inner = #"{"value": {"form": {"value": [\#(fields)]}}}"#
      let other = #"{"value": {"form": {"value": [{"name": "other"}]}}}"#
      fields = #"{"name": "x", "options": [\#(other), \#(inner)]}"#
    }
    let form = try Remediation.with(fields: fields)
    let path = String(repeating: "x.", count: 20) + "leaf"
    var value = try form.body(answering: Answers([path: "found"]))["x"]
    for _ in 1..<20 { value = value?["x"] }
    expectEqual(value?["leaf"], "found")
  }
}
