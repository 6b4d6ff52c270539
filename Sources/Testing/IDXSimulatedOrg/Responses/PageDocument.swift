/// The HTML of the page of an org, on which people sign in with any browser that has JavaScript.
///
/// Its script shows the forms of each response, whatever they are. It loads nothing.
struct PageDocument {
  let origin: String
  let layout: OrgSignInPage.Layout
  /// The state token; empty in the classic engine.
  let stateToken: String

  var html: String {
    guard layout != .withoutToken else {
      return Self.document(
        "<p id=\"root\"></p><script>\(Self.decoy)document.getElementById('root').textContent = "
          + "'This company signs people in on a page of its own.';</script>")
    }
    return Self.document(
      """
      <div id="signin"></div>
      <noscript><p>This page needs JavaScript.</p></noscript>
      <script>\(Self.decoy)</script>
      <script>
      \(data.text)
      var token = \(data.expression);
      \(Self.script)
      </script>
      """)
  }

  /// A page that says one thing.
  static func notice(_ text: String) -> String { document("<p>\(text.escapedForHTML)</p>") }

  /// A page that sends these values to another site, with a script or a button.
  static func form(to address: String, _ values: [(name: String, value: String)]) -> String {
    let inputs = values.map {
      "<input name=\"\($0.name)\" type=\"hidden\" value=\"\($0.value.escapedForHTML)\"/>"
    }
    return document(
      """
      <form id="appForm" action="\(address.escapedForHTML)" method="POST">
      \(inputs.joined(separator: "\n"))
      <noscript><button>Continue</button></noscript>
      </form>
      <script>document.getElementById('appForm').submit();</script>
      """)
  }

  /// The first value of a state token on a page can be empty.
  private static let decoy = "var preview = {\"stateToken\":\"\"};\n"

  private static func document(_ content: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>
    body { margin: 2rem auto; max-width: 26rem; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
    form { margin: 1rem 0; } label { display: block; margin: 0.5rem 0; }
    input:not([type=checkbox]), select { display: block; width: 100%; font: inherit; }
    button { font: inherit; } img { max-width: 100%; }
    </style></head>
    <body><h1>Sign in</h1>
    \(content)
    </body></html>
    """
  }

  /// The part of a script that contains the token, and the expression that reads it.
  private var data: (text: String, expression: String) {
    let (token, base) = (stateToken.escapedForScript, origin.escapedForScript)
    switch layout {
    case .standard, .withoutToken:
      return (
        """
        var baseUrl = '\(base)';
        var suppliedRedirectUri = '';
        var repost = false;
        var stateToken = '\(token)';
        var username = '';
        var rememberMe = true;
        """, "stateToken"
      )
    case .oktaData:
      return (
        """
        var oktaData = {"isMobileSSO":false,"linkParams":null,"signIn":{"el":"#signin",\
        "baseUrl":"\(base)","stateToken":"\(token)","consent":{"cancel":function(){ \
        window.location.href='\(base)'; }}}};
        """, "oktaData.signIn.stateToken"
      )
    case .modelDataBag:
      let bag = "{\"baseUrl\":\"\(origin)\",\"stateToken\":\"\(stateToken)\"}"
      return (
        "var modelDataBag = '\(bag.escapedForScript)';", "JSON.parse(modelDataBag).stateToken"
      )
    case .configuration:
      return (
        "var config = {\"baseUrl\":\"\(base)\",\"stateToken\":\"\(token)\"};", "config.stateToken"
      )
    }
  }

  /// Shows the forms of the responses.
  private static let script = #"""
    var root = document.getElementById('signin'), timer, poll, handle, shown;
    function make(name, text, parent) {
      var element = document.createElement(name);
      if (text) { element.textContent = text; }
      if (parent) { parent.appendChild(element); }
      return element;
    }
    function send(href, body) {
      clearTimeout(timer);
      fetch(href, {
        method: 'POST', body: JSON.stringify(body), credentials: 'same-origin',
        headers: { 'Content-Type': 'application/json',
          'Accept': 'application/ion+json; okta-version=1.0.0' }
      }).then(function (response) { return response.json(); }).then(show, function () {
        make('p', 'The org did not answer. Load the page again.', root);
      });
    }
    // A value to read from an input or a choice, or what the form says.
    function reader(field, parent) {
      var nested = field.form && field.form.value, input;
      if (nested) { return group(nested, parent); }
      if (field.options) {
        input = make('select', '', make('label', field.label || field.name, parent));
        var places = make('div', '', parent), readers = [];
        field.options.forEach(function (option, index) {
          var inner = (option.value && option.value.form && option.value.form.value) ||
            (option.form && option.form.value);
          var place = make('div', '', places);
          make('option', option.label || String(option.value), input).value = index;
          readers.push(inner ? group(inner, place) : function () { return option.value; });
        });
        input.onchange = function () {
          for (var i = 0; i < places.children.length; i++) {
            places.children[i].hidden = i !== input.selectedIndex;
          }
        };
        input.onchange();
        return function () { return readers[input.selectedIndex](); };
      }
      if (field.value !== undefined && (field.mutable === false || field.visible === false)) {
        return function () { return field.name === 'stateHandle' ? handle : field.value; };
      }
      if (field.visible === false && !field.required) { return function () {}; }
      input = make('input', '', make('label', field.label || field.name, parent));
      input.type = field.type === 'boolean' ? 'checkbox' : field.secret ? 'password' : 'text';
      if (typeof field.value === 'string') { input.value = field.value; }
      messages(field, parent);
      return function () {
        return field.type === 'boolean' ? input.checked : input.value || undefined;
      };
    }
    function group(fields, parent) {
      var readers = fields.map(function (field) { return [field.name, reader(field, parent)]; });
      return function () {
        var result = {};
        readers.forEach(function (pair) {
          var value = pair[1]();
          if (value !== undefined) { result[pair[0]] = value; }
        });
        return result;
      };
    }
    function messages(owner, parent) {
      ((owner.messages && owner.messages.value) || []).forEach(function (message) {
        make('p', message.message, parent).setAttribute('role', 'alert');
      });
    }
    function add(form) {
      if (!form || !form.href) { return; }
      var title = form.label || form.name.replace(/-/g, ' ');
      if (form.method === 'GET') {
        make('a', title, make('p', '', root)).href = form.href;
        return;
      }
      var element = make('form', '', root), read = group(form.value || [], element);
      make('button', title, element);
      element.onsubmit = function (event) { event.preventDefault(); send(form.href, read()); };
      if (/poll$/.test(form.name)) {
        poll = function () {
          timer = setTimeout(function () { send(form.href, read()); }, form.refresh || 4000);
        };
      }
    }
    function show(answer) {
      if (answer.success) { location.href = answer.success.href; return; }
      handle = answer.stateHandle;
      // What a person types stays while the page waits for a device.
      var text = JSON.stringify(answer).split(handle).join('');
      if (text === shown && poll) { poll(); return; }
      shown = text;
      poll = null;
      root.textContent = '';
      messages(answer, root);
      var current = answer.currentAuthenticator || answer.currentAuthenticatorEnrollment;
      var value = (current && current.value) || {}, data = value.contextualData || {};
      if (value.displayName) { make('h2', value.displayName, root); }
      if (data.correctAnswer) { make('p', 'Choose ' + data.correctAnswer + '.', root); }
      if (data.qrcode) { make('img', '', root).src = data.qrcode.href; }
      if (data.sharedSecret) { make('p', 'Key: ' + data.sharedSecret, root); }
      ((answer.remediation && answer.remediation.value) || []).forEach(add);
      [value.poll, value.resend, value.recover, answer.cancel].forEach(add);
      if (poll) { poll(); }
      var first = root.querySelector('input:not([type=checkbox])');
      if (first) { first.focus(); }
    }
    if (token) { send('/idp/idx/introspect', { stateToken: token }); }
    """#
}

extension String {
  /// The text inside quotes of a script: everything but letters, digits, `.` and `_` as `\xHH` or `\uHHHH`.
  fileprivate var escapedForScript: String {
    utf16.map { unit in
      let isPlain =
        (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit)
        || (0x61...0x7A).contains(unit) || unit == 0x2E || unit == 0x5F
      guard !isPlain, unit > 0xFF else {
        return isPlain
          ? String(UnicodeScalar(UInt8(unit)))
          : "\\x" + String(unit, radix: 16, uppercase: true).leadingZeros(to: 2)
      }
      return "\\u" + String(unit, radix: 16, uppercase: true).leadingZeros(to: 4)
    }.joined()
  }

  /// The text in HTML, where most other characters than letters and digits are references, as in the pages of real orgs.
  var escapedForHTML: String {
    unicodeScalars.map { scalar in
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || " .-_".unicodeScalars.contains(scalar)
      return isPlain ? String(scalar) : "&#x\(String(scalar.value, radix: 16));"
    }.joined()
  }
}
