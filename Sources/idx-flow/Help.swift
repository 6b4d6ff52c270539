import IDXNetwork

/// What `--help` prints.
enum Help {
  static let version = URLSessionTransport.version

  static let overview = """
    idx-flow signs people in to Okta Identity Engine, at a prompt, with several factors.

    Usage: idx-flow COMMAND [OPTION...]

    Commands:
      signin    Sign in, answering what the server asks; try it with --demo.
      inspect   Show what a response of the server asks for.

    idx-flow COMMAND --help explains a command, idx-flow --version tells the version.

    Exit status:
    \(ExitCode.table)

    """

  static let signIn = """
    Sign in to an org, answering what the server asks at a prompt on the terminal itself.
    At any prompt ? lists what else can be done, and Ctrl-C gives the sign-in up.

    Usage: idx-flow signin --demo [NAME]
           idx-flow signin --demo list
           idx-flow signin --issuer URL --client-id ID --redirect-uri URI [OPTION...]

    \(list(SignInCommand.options))

    Where the org sends one to a page, the page is opened in a browser, or its address shown. Where
    the redirect URI is an address such as http://127.0.0.1:8484/callback, the browser comes back by
    itself; else the address that it ended on is asked for.

    Options win over the environment, the environment over the file. The variables are
    OKTA_IDX_ISSUER, OKTA_IDX_CLIENTID, OKTA_IDX_REDIRECTURI and OKTA_IDX_SCOPES; the file is
    a property list with the keys issuer, clientId, redirectUri and scopes.

    Exit status:
    \(ExitCode.table)

    """

  static let inspect = """
    Show what responses of the server ask for: messages, steps with their fields, authenticators.

    Usage: idx-flow inspect [OPTION...] FILE...      (- stands for standard input)

    \(list(InspectCommand.options))

    A file that is no response is reported, and the others are shown all the same; the exit
    status is then 1. With state handles and shared secrets in it, the output of --format json
    is as secret as the responses are.

    Exit status:
    \(ExitCode.table)

    """

  private static func list(_ options: [OptionSpec]) -> String {
    let heads = options.map(\.head)
    let width = heads.map(\.count).max() ?? 0
    let lines = zip(heads, options).map { head, option in
      "  " + head + String(repeating: " ", count: width - head.count + 2) + option.help
    }
    return "Options:\n" + lines.joined(separator: "\n")
  }
}
