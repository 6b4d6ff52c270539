import IDXBase

/// The manual page, in the language of `man` (roff), from the definitions that the parser uses too.
enum ManPage {
  static func text(of commands: CommandList) -> String {
    var lines = [
      ".TH IDX-FLOW 1 \"\" \"idx-flow \(Product.version)\" \"User Commands\"",
      ".SH NAME", #"idx\-flow \- sign in to Okta Identity Engine without a browser"#,
      ".SH SYNOPSIS", #".B idx\-flow"#, #".I COMMAND"#, "[\\fIOPTION\\fR...]",
      ".SH DESCRIPTION",
    ]
    lines += paragraph(
      """
      idx-flow signs you in to Okta Identity Engine at a prompt, with one or more factors, and saves the
      tokens. Questions and answers use the terminal itself. Results go to standard output, everything else
      to standard error.
      """)
    lines.append(".SH COMMANDS")
    for command in commands.all { lines += section(of: command) }
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases {
      lines += [".TP", "\\fB\(code.rawValue)\\fR"] + paragraph(code.meaning)
    }
    lines.append(".SH ENVIRONMENT")
    for (name, meaning) in variables {
      lines += [".TP", "\\fB\(escaped(name))\\fR"] + paragraph(meaning)
    }
    return lines.joined(separator: "\n")
  }

  private static let variables = [
    ("OKTA_IDX_ISSUER", "The authorization server, if --issuer is not used."),
    ("OKTA_IDX_CLIENTID", "The client ID of the app, if --client-id is not used."),
    ("OKTA_IDX_REDIRECTURI", "The redirect URI, if --redirect-uri is not used."),
    ("OKTA_IDX_SCOPES", "The scopes, if --scope is not used."),
    ("IDX_FLOW_PROFILE", "The profile of signin and doctor, if --profile is not used."),
    ("IDX_FLOW_ACCESSIBLE", "With 1, nothing on the terminal is drawn or replaced."),
    ("IDX_FLOW_STORE", "Where credentials are saved, if --store is not used."),
    ("IDX_FLOW_TIMEOUT", "How many seconds a request may take; by default 30."),
    (
      "IDX_FLOW_RETRY_TIME",
      "For how many seconds a request that fails is repeated, with 0 not at all; by default 10, or 2 with a saved credential."
    ),
    ("XDG_DATA_HOME", "The folder that contains the folder idx-flow; by default ~/.local/share."),
    ("XDG_CONFIG_HOME", "The folder that contains the profiles in idx-flow; by default ~/.config."),
    ("SSL_CERT_FILE", "The certificate authorities to trust, if --ca-file is not used."),
    ("BROWSER", "The program that opens web pages."),
    ("NO_COLOR", "If it is set, prompts have no colors."),
  ]

  private static func section(of command: any Command.Type) -> [String] {
    var lines = [".SS \(escaped(command.name))"]
    for form in command.usage {
      lines += ["\\fBidx\\-flow \(escaped(form))\\fR", ".br"]
    }
    for alias in command.aliases { lines += ["Also: \\fBidx\\-flow \(escaped(alias))\\fR", ".br"] }
    lines += [".PP"] + paragraph(command.purpose)
    for option in command.options {
      lines += [".TP", "\\fB\(escaped(option.head))\\fR"] + paragraph(option.help)
    }
    for text in [command.notes, command.details].compactMap(\.self) {
      lines += [".PP"] + paragraph(text)
    }
    for example in command.examples {
      lines += [".PP"] + paragraph("\(example.purpose):") + [".RS 4", ".nf"]
      lines += example.text.split(separator: "\n").map { line(String($0)) } + [".fi", ".RE"]
    }
    return lines
  }

  /// A text with paragraphs between empty lines.
  private static func paragraph(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? ".PP" : line(String($0)) }
  }

  /// A line of text, which does not begin like a request.
  private static func line(_ text: String) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "“": result += "\\(lq"
      case "”": result += "\\(rq"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result
  }
}

/// `idx-flow man`: prints the manual page.
struct ManCommand: Command {
  static let name = "man"
  static let summary = "Print the manual page."
  static let purpose =
    "Print the manual page, or the same as one page for each command in Markdown."
  static let options = [format]
  static let onlyPrints = true
  static let examples = [
    Example("Read it", "idx-flow man > idx-flow.1 && man ./idx-flow.1"),
    Example(
      "Install it for yourself",
      "mkdir -p ~/.local/share/man/man1 && idx-flow man > ~/.local/share/man/man1/idx-flow.1"),
  ]

  private static let format = OptionSpec(
    "--format", value: "FORMAT", of: .oneOf(["roff", "markdown"]),
    "roff (default), which the program man reads, or markdown")

  static func run(_ call: CommandCall) throws -> ExitCode {
    let isMarkdown = call[format] == "markdown"
    try call.streams.result(
      isMarkdown ? CommandPages.text(of: call.commands) : ManPage.text(of: call.commands))
    return .done
  }
}
