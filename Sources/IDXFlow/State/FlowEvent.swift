public import IDX

/// What happens while a coordinator runs, for a front-end that wants to show or log it.
public enum FlowEvent: Sendable {
  /// The server answered; the messages of the response are news to the person.
  case received(FlowState)
  /// Answers to a form are about to be sent.
  case submitting(Remediation)
  /// The server took the answers to a form, or what was done elsewhere: while it was polled, or in
  /// a browser.
  ///
  /// The form was about this authenticator, or about none.
  case accepted(Remediation, IDXAuthenticator?)
  /// The form is asked about again after this time.
  case waiting(Remediation, Duration)
}
