import IDXFlow

/// What a sign-in asks of the server, from the command line.
enum StartChoices {
  static let options = [
    OptionSpec(
      "--username", value: "NAME", "offer this username at the prompt (default: the last one)"),
    OptionSpec("--login-hint", value: "USER", "the username to begin with"),
    OptionSpec(
      "--max-age", value: "SECONDS", "ask for a new sign-in if an earlier one is older than this"),
    OptionSpec(
      "--acr-values", value: "LIST", "how strong the sign-in must be, separated by spaces"),
  ]

  /// Reads the options; throws if a value cannot be used.
  static func startOptions(_ options: CommandLineOptions) throws -> StartOptions {
    var start = StartOptions()
    start.loginHint = options.values["--login-hint"]
    start.acrValues =
      options.values["--acr-values"]?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
    guard let age = options.values["--max-age"] else { return start }
    guard let seconds = Int(age), seconds >= 0 else {
      throw CommandFailure(
        .usage, "--max-age must be a number of seconds, not \(age.sanitized).")
    }
    start.maximumAge = seconds
    return start
  }
}
