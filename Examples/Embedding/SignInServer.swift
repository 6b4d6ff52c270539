import Foundation
import IDXFlow

/// The core of a web site where many people sign in at once: requests in, pages and cookies out.
///
/// It keeps nothing between two requests except in its stores. A real site also limits the requests of one address.
struct SignInServer {
  struct Request: Sendable {
    var cookies: [String: String] = [:]
    /// The fields of a form that was posted; nil for a GET.
    var form: [String: String]?
  }

  struct Response: Sendable {
    var status = 200
    /// The cookies to set; an empty value deletes a cookie.
    ///
    /// Send them with `Secure`, `HttpOnly` and `SameSite=Lax`.
    var cookies: [String: String] = [:]
    var html: String
  }

  /// Its `keep` returns the value of the cookie `account`.
  let signIns: OpenSignIns

  func respond(to request: Request) async throws -> Response {
    do { return response(to: try await result(of: request)) } catch let error as FlowError {
      let link = #"<a href="/signin">Start again</a>"#
      return Response(
        status: 400, cookies: ["signin": ""], html: "<p>\(error.message.escaped)</p>\(link)")
    }
  }

  private func result(of request: Request) async throws -> OpenSignInResult {
    guard let id = request.cookies["signin"] else { return try await signIns.start() }
    guard var form = request.form else {
      let result = try await signIns.page(of: id)
      guard case .page(let page) = result, page.screen.wait != nil else { return result }
      return try await signIns.poll(id, revision: page.revision, fetchesTokens: false)
    }
    // Another site can make a browser post a form, but cannot know the token.
    guard form.removeValue(forKey: "_token") == OpenSignInPage.formToken(of: id),
      let revision = form.removeValue(forKey: "_revision").flatMap({ Int($0) })
    else { return try await signIns.page(of: id) }
    let option = form.removeValue(forKey: "_option")
    let reply = option.map(Reply.choose) ?? .submit(values(of: form))
    return try await signIns.reply(reply, to: id, revision: revision)
  }

  /// The values of the inputs; those of a choice that was not chosen are left out.
  private func values(of form: [String: String]) -> [Screen.Input.ID: Secret] {
    form.reduce(into: [:]) { values, field in
      let parts = field.key.components(separatedBy: Self.separator)
      guard parts.count != 3 || form[parts[0]] == parts[1] else { return }
      values[parts[parts.count - 1]] = Secret(field.value)
    }
  }

  /// Stands between the input, the choice and the input of the choice in a name.
  private static let separator = " > "

  private func response(to result: OpenSignInResult) -> Response {
    switch result {
    case .page(let page): Response(cookies: ["signin": page.id], html: html(of: page))
    case .signedIn(let signIn):
      Response(
        cookies: ["signin": "", "account": signIn.keptAs ?? ""],
        html: "<h1>Welcome, \((signIn.credential.username ?? "").escaped)</h1>")
    case .ended(let screen): Response(cookies: ["signin": ""], html: html(of: screen))
    case .cancelled: Response(cookies: ["signin": ""], html: "<h1>Canceled</h1>")
    }
  }

  // MARK: HTML

  private func html(of page: OpenSignInPage) -> String {
    let screen = page.screen
    let buttons = ([screen.action] + screen.options).map { option in
      let name = option.id == screen.action.id ? "" : #" name="_option""#
      return "<button\(name) value=\"\(option.id.escaped)\">\(option.label.escaped)</button>"
    }
    let refresh = screen.wait.map {
      #"<meta http-equiv="refresh" content="\#($0.interval.components.seconds)">"#
    }
    return (refresh ?? "") + html(of: screen) + """
      <form method="post">
      <input type="hidden" name="_token" value="\(page.formToken)">
      <input type="hidden" name="_revision" value="\(page.revision)">
      \(screen.inputs.map { html(of: $0) }.joined())\(buttons.joined())
      </form>
      """
  }

  private func html(of screen: Screen) -> String {
    var lines = [screen.person?.username].compactMap(\.self) + screen.messages.map(\.text)
    lines += screen.notes + [screen.wait?.instruction ?? screen.wait?.text].compactMap(\.self)
    let image = screen.setUp?.qrCodePNG().map { Data($0).base64EncodedString() }
    return "<h1>\(screen.title.escaped)</h1>" + lines.map { "<p>\($0.escaped)</p>" }.joined()
      + (image.map { #"<img alt="QR code" src="data:image/png;base64,\#($0)">"# } ?? "")
  }

  /// `prefix` names the input and the choice to which an input belongs.
  private func html(of input: Screen.Input, prefix: String = "") -> String {
    let (id, label) = ((prefix + input.id).escaped, input.label.escaped)
    let value = (input.suggestion ?? "").escaped
    let problem = input.problem.map { "<p>\($0.escaped)</p>" } ?? ""
    switch input.kind {
    case .choice(let choices):
      let radios = choices.map { choice in
        let prefix = input.id + Self.separator + choice.id + Self.separator
        let inner = choice.inputs.map { html(of: $0, prefix: prefix) }.joined()
        let checked = choice.id == input.suggestion ? " checked" : ""
        return
          "<label><input type=\"radio\" name=\"\(id)\" value=\"\(choice.id.escaped)\"\(checked)>"
          + "\(choice.label.escaped)</label>\(inner)"
      }
      return "<fieldset><legend>\(label)</legend>\(radios.joined())</fieldset>\(problem)"
    case .toggle:
      // A box that is not checked sends nothing, so the field before it says no. Of two fields, the last one counts.
      let checked = input.suggestion == "true" ? " checked" : ""
      return "<input type=\"hidden\" name=\"\(id)\" value=\"false\">"
        + "<label><input type=\"checkbox\" name=\"\(id)\" value=\"true\"\(checked)>\(label)</label>\(problem)"
    case .text, .secret:
      let type = input.kind == .secret ? "password" : "text"
      return
        "<label>\(label)<input type=\"\(type)\" name=\"\(id)\" value=\"\(value)\"></label>\(problem)"
    }
  }
}

extension String {
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
