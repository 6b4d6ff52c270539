extension GrowthCases {
  mutating func addResponses() {
    add(.responses, "depth", 25) { count in
      response("", #""other":\#(repeated("[", count))\#(repeated("]", count))"#)
    }
    add(.responses, "escapes", 1000) { response(form(repeated(#"\u00e9\n"#, $0))) }
    add(.responses, "white space", 4000) { response(form("a") + repeated(" ", $0)) }
    add(.responses, "numbers", 400) { count in
      response("", #""n":[\#(many(count) { "-\($0).5e3" })]"#)
    }
    add(.responses, "members", 400) { count in
      response("", many(count + 1) { #""m\#($0)":{"name":"m","href":"h"}"# })
    }
    addBoth("long label", 2000) { count in
      response(form("identify", field("identifier", #""label":"\#(repeated("ab ", count))""#)))
    }
    addBoth("long names of one authenticator", 1000) { count in
      let name = repeated("ab ", count)
      let email = #""profile":{"email":"\#(name)d"}"#
      return response(
        many(20) { form("x\($0)", "", relates("$.currentAuthenticator")) },
        current(#""key":"k","displayName":"\#(name)c",\#(email)"#))
    }
    addBoth("messages", 100) { count in
      let messages = list("messages", count) { message("\($0)", "k\($0)") }
      return response(form("identify", field("identifier", messages)), messages)
    }
    addBoth("messages and references", 60) { count in
      let reference = #""$.recoveryAuthenticator""#
      return response(
        form("challenge-authenticator", "", #""relatesTo":[\#(many(count) { _ in reference })]"#),
        list("messages", count) { message("\($0)", "api.authn.error.PASSCODE_INVALID") })
    }
  }

  mutating func addForms() {
    let hidden = field("b", #""required":true,"visible":false"#)
    addBoth("forms", 50) { count in
      response(form("identify", field("identifier")) + "," + many(count) { form("f\($0)") })
    }
    addBoth("equal forms", 50) { count in response(many(count + 1) { _ in form("identify") }) }
    addBoth("forms for a browser", 50) { count in
      response(
        many(count) {
          #"{"name":"redirect-idp","href":"https://a.example/\#($0)","method":"GET"}"#
        })
    }
    addBoth("forms without an address", 50) { count in
      response(many(count) { #"{"name":"f\#($0)"}"# })
    }
    addBoth("forms that need a device", 50) { count in
      response(many(count) { _ in form("launch-authenticator") } + "," + form("skip"))
    }
    addBoth("forms with hidden fields, and authenticators", 40) { count in
      response(
        many(count) { form("f\($0)", hidden) },
        list("authenticators", count) { #"{"key":"k\#($0)"}"# })
    }
    addBoth("forms with hidden fields, and references", 40) { count in
      let references = many(count) { #""$.authenticators.value[\#($0)]""# }
      return response(
        form("identify", "", #""relatesTo":[\#(references)]"#) + ","
          + many(count) { form("f\($0)", hidden) })
    }
    addBoth("forms for one authenticator", 50) { count in
      response(
        many(count) { _ in
          form("challenge-authenticator", "", relates("$.currentAuthenticator"))
        }, current(#""key":"okta_email","displayName":"Email""#))
    }
    addBoth("forms and authenticators", 40) { count in
      response(
        many(count) {
          form("challenge-authenticator", "", relates("$.authenticators.value[\($0)]"))
        }, list("authenticators", count) { #"{"key":"k\#($0)","displayName":"A"}"# })
    }
    addBoth("forms and fields", 40) { count in
      response(
        form("identify", many(count) { field("f\($0)") }) + "," + many(count) { form("f\($0)") })
    }
    addBoth("actions of authenticators", 40) { count in
      response(
        form("challenge-authenticator"),
        list("currentAuthenticatorEnrollment", count) {
          #"{"key":"k","resend":{"name":"resend","href":"https://id.shop.example/\#($0)"}}"#
        })
    }
  }

  mutating func addAnswers() {
    let required = field("r", #""required":true"#)
    addBoth("fields", 100) { count in
      response(form("identify", many(count) { field("f\($0)", #""required":true"#) }))
    }
    addBoth("fields with one name", 400) { count in
      response(form("identify", many(count) { nested("o", field("f\($0)")) }))
    }
    addBoth("nested forms", 4) { count in
      response(
        form("identify", (0..<count).reduce(field("x")) { fields, _ in nested("o", fields) }))
    }
    addBoth("nested choices", 4) { count in
      let fields = (0..<count).reduce(required) { fields, _ in
        choice("a", [option("x", fields), option("x", required)].joined(separator: ","))
      }
      return response(form("identify", fields))
    }
    addBoth("fields below a long name", 60) { count in
      response(form("identify", nested(repeated("n", count), many(count) { field("f\($0)") })))
    }
    addBoth("options", 60) { count in
      let options = many(count) { option("x\($0)", field("id", #""value":1,"mutable":false"#)) }
      return response(form("select-authenticator-authenticate", choice("a", options)))
    }
    addBoth("equal options that do not fit", 40) { count in
      let options = many(count) { _ in option("x", required) }
      let fields = many(count) { field("r\($0)", #""required":true"#) }
      return response(
        form("select-authenticator-authenticate", fields + "," + choice("a", options)))
    }
    addBoth("options for one authenticator", 60) { count in
      let options = many(count) { #"{"value":\#($0),\#(relates("$.currentAuthenticator"))}"# }
      return response(
        form("select-authenticator-authenticate", choice("a", options)),
        current(#""key":"okta_email","displayName":"Email""#))
    }
  }
}

// MARK: - Parts of responses

/// A response with these remediations and other members.
func response(_ remediations: String, _ more: String = "") -> String {
  """
  {"version":"1.0.0","stateHandle":"02s","remediation":{"value":[\(remediations)]}\
  \(more.isEmpty ? "" : "," + more)}
  """
}

func form(_ name: String, _ fields: String = "", _ more: String = "") -> String {
  """
  {"name":"\(name)","href":"https://id.shop.example/idp/idx/\(name)","value":[\(fields)]\
  \(more.isEmpty ? "" : "," + more)}
  """
}

func field(_ name: String, _ more: String = "") -> String {
  #"{"name":"\#(name)"\#(more.isEmpty ? "" : "," + more)}"#
}

private func nested(_ name: String, _ fields: String) -> String {
  field(name, #""form":{"value":[\#(fields)]}"#)
}

private func choice(_ name: String, _ options: String) -> String {
  field(name, #""options":[\#(options)]"#)
}

private func option(_ label: String, _ fields: String) -> String {
  #"{"label":"\#(label)","form":{"value":[\#(fields)]}}"#
}

private func message(_ text: String, _ key: String) -> String {
  #"{"message":"\#(text)","i18n":{"key":"\#(key)"},"class":"ERROR"}"#
}

/// A member with a list of objects.
private func list(_ name: String, _ count: Int, _ make: (Int) -> String) -> String {
  #""\#(name)":{"type":"array","value":[\#(many(count, make))]}"#
}

private func current(_ members: String) -> String {
  #""currentAuthenticator":{"value":{\#(members)}}"#
}

private func relates(_ path: String) -> String { #""relatesTo":"\#(path)""# }
