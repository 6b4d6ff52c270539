import IDXBase
import IDX

/// A form of a step, before addresses and the state handle are put in.
struct OrgStepForm: Sendable {
  let name: Remediation.Name
  let path: String
  let fields: [JSONValue]
  /// In milliseconds.
  let refresh: Int?
  /// Whether it relates to the authenticator that the step is about.
  let isAboutCurrent: Bool
  /// Under which name it stands inside an authenticator.
  let member: String

  init(
    _ name: Remediation.Name, _ path: String, _ fields: [JSONValue] = [], refresh: Int? = nil,
    isAboutCurrent: Bool = true, member: String? = nil
  ) {
    self.name = name
    self.path = path
    self.fields = fields
    self.refresh = refresh
    self.isAboutCurrent = isAboutCurrent
    self.member = member ?? name.rawValue
  }
}
