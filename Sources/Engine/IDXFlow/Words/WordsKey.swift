import IDXBase
public import IDX

// The names of texts that depend on something of the protocol.
extension Words.Key {
  /// The title of a step, such as `identify.title`.
  public static func title(of remediation: Remediation.Name) -> Self {
    Self(rawValue: "\(remediation).title")
  }

  /// The label of a form as one of several options, such as `recover.option`.
  public static func option(_ form: Remediation.Name) -> Self { Self(rawValue: "\(form).option") }

  /// Why a person may want this option, such as `recover.reason` (“Forgot your password?”).
  public static func reason(_ form: Remediation.Name) -> Self {
    Self(rawValue: "\(form).reason")
  }

  /// The label of the main button of a step, such as `identify.action`.
  public static func action(_ remediation: Remediation.Name) -> Self {
    Self(rawValue: "\(remediation).action")
  }

  /// The identity provider of a form if the server does not name it, such as `redirect-idp.provider`.
  public static func provider(_ form: Remediation.Name) -> Self {
    Self(rawValue: "\(form).provider")
  }

  /// The authenticator in a sentence, such as `phone_number.phrase` (“your phone”).
  public static func authenticator(_ key: IDXAuthenticator.Key) -> Self {
    Self(rawValue: "\(key).phrase")
  }

  /// The name of an authenticator if the server sends none, such as `google_otp.name`.
  public static func name(_ key: IDXAuthenticator.Key) -> Self { Self(rawValue: "\(key).name") }

  /// What a sign-in waits for: by the key of an authenticator, or the name of a channel or of a form without an
  /// authenticator, such as `wait.sms`.
  public static func wait(_ name: String) -> Self { Self(rawValue: "wait.\(name)") }

  /// The label of a field, by its name, such as `field.identifier`.
  public static func field(_ name: String) -> Self { Self(rawValue: "field.\(name)") }

  /// The label of a field or a choice in place of an English one, such as `label.Password`.
  ///
  /// The clients of DirectAuth and of the classic API label fields in English, because those servers label none. A label
  /// of IDX that tells the person to enter something is replaced by what it is, so that all fields are named alike.
  public static func label(_ english: String) -> Self { Self(rawValue: "label.\(english)") }

  /// What to enter into a field, by its name, such as `hint.phoneNumber`.
  public static func hint(_ name: String) -> Self { Self(rawValue: "hint.\(name)") }

  /// What a person can do about a message of the server, by its key.
  public static func advice(_ message: IDXMessage.Key) -> Self {
    Self(rawValue: "advice.\(message)")
  }

  /// Why a step cannot be done here.
  static func unsupported(_ kind: UnsupportedStep.Kind) -> Self {
    Self(rawValue: "unsupported.\(kind)")
  }

  /// A rule for a password.
  static func rule(_ name: String) -> Self { Self(rawValue: "rule.\(name)") }

  /// Why an answer cannot be sent.
  static func problem(_ name: String) -> Self { Self(rawValue: "problem.\(name)") }

  /// What the server has just accepted.
  static func done(_ name: String) -> Self { Self(rawValue: "done.\(name)") }
}
