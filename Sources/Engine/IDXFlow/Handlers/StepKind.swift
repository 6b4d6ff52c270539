import IDX

/// How a built-in handler is found: by what is special about a step, or by its name.
enum StepKind: Hashable, Sendable {
  /// A passkey answers it, and the front-end can use passkeys.
  case passkey
  /// Okta Verify on this device answers it, and may be used.
  case oktaVerify
  /// Nobody can do it here (``UnsupportedStep``).
  case unsupported
  /// It opens a web page.
  case page
  /// It waits for something that the person does elsewhere.
  case wait
  /// Somebody fills in the form.
  case form(Remediation.Name)
}

extension Step {
  var kind: StepKind {
    if PasskeyHandler.handles(self) { return .passkey }
    if OktaVerifyHandler.handles(self) { return .oktaVerify }
    if UnsupportedStep(self) != nil { return .unsupported }
    if remediation.page != nil { return .page }
    if remediation.isPolled, !remediation.form.hasMissingValues { return .wait }
    return .form(remediation.name)
  }
}
