import IDX

/// `idx-flow use`: makes a credential the current one.
struct UseCommand: Command {
  static let name = "use"
  static let summary = "Make one of the credentials the current one."
  static let help = CommandHelp(
    purpose: "Make one of the credentials the current one, which the other commands then mean.",
    usage: ["use USER [OPTION...]"],
    options: CredentialAccess.choiceOptions.filter { $0.name != "--user" }
      + CredentialAccess.placeOptions)

  static let operands = 1...1

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call, user: call.options.operands.first)
    let credential = try await access.selected()
    try await access.store.makeCurrent(credential.id)
    let text = CredentialText(credential)
    try call.result("Now current: \(text.place)", text.json)
    return .done
  }
}
