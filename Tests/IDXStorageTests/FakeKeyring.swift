#if !canImport(Security)
  import IDXSystem

  @testable import IDXStorage

  /// What `secret-tool` does, without a process: it cuts long texts off as the real one does, and may
  /// be switched off after a number of calls.
  actor FakeKeyring {
    /// The secrets by their attributes, in the order in which they are given.
    private(set) var items: [String: String] = [:]
    private var callsLeft: Int?
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Fails from so many calls on, as if the computer had been switched off; nil ends that.
    func fail(after calls: Int?) { callsLeft = calls }

    func put(_ text: String, _ attributes: String) { items[attributes] = text }

    nonisolated func store() async throws -> SecretServiceCredentialStore {
      let tool = SecretTool(service: "idx-flow", timeout: .seconds(60)) { arguments, input in
        await self.run(arguments, input)
      }
      return try await SecretServiceCredentialStore(
        tool: tool, lockFolder: "\(folder.path)/locks", answerTime: .seconds(60),
        timeout: .seconds(60))
    }

    private func run(_ arguments: [String], _ input: String) -> ExternalProgram.Outcome {
      if let callsLeft {
        guard callsLeft > 0 else {
          return ExternalProgram.Outcome(
            status: 1, output: "", errors: "secret-tool: the lights went out\n")
        }
        self.callsLeft = callsLeft - 1
      }
      let attributes = arguments.drop { $0.hasPrefix("--") || $0 == arguments[0] }
        .joined(separator: ",")
      var outcome: (status: Int32, output: String) = (0, "")
      switch arguments[0] {
      case "store": items[attributes] = String(decoding: input.utf8.prefix(8192), as: UTF8.self)
      case "lookup": outcome = items[attributes].map { (0, $0) } ?? (1, "")
      default:
        let names = items.keys.filter { "\($0),".hasPrefix("\(attributes),") }
        for name in names { items[name] = nil }
        outcome.status = names.isEmpty ? 1 : 0
      }
      return ExternalProgram.Outcome(status: outcome.status, output: outcome.output, errors: "")
    }
  }
#endif
