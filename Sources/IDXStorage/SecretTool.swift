import IDXBase

#if !canImport(Security)
  import IDXOAuth
  import IDXSystem

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Keeps texts of any length in the Secret Service, by the program `secret-tool` of libsecret.
  ///
  /// The program takes 8191 bytes at most and cuts the rest off. A longer text is therefore kept as
  /// parts: the item of its name tells how many there are, and in which of two sets. A change writes
  /// the other set first and the item last, so that a crash leaves the old text or the new one.
  ///
  /// Texts are given on the standard input: arguments can be seen by everybody.
  struct SecretTool: Sendable {
    /// The most bytes that are given to the program at once.
    static let partSize = 6000

    /// Runs the program with arguments and input.
    typealias Run =
      @Sendable (_ arguments: [String], _ input: String) async throws -> ExternalProgram.Outcome

    private let service: String
    private let timeout: Duration
    private let program: Run

    init(service: String, timeout: Duration, program: @escaping Run) {
      self.service = service
      self.timeout = timeout
      self.program = program
    }

    /// The program; nil where it is not installed.
    init?(service: String, environment: [String: String], timeout: Duration) {
      let program = ExternalProgram(
        named: "secret-tool", environment: environment, terminationTimeout: .milliseconds(200))
      guard let program else { return nil }
      self.init(service: service, timeout: timeout) { try await program.run($0, input: $1) }
    }

    /// Asks for something that is not there, and throws unless there is an answer in time.
    func probe(within time: Duration) async throws {
      _ = try await lookUp(["probe", "probe"], within: time)
    }

    /// Whether there is a text of a name, whatever it is.
    func holds(_ name: String) async throws -> Bool { try await lookUp(["item", name]) != nil }

    /// The text of a name; nil where there is none.
    ///
    /// Throws ``CredentialStoreError/Code/damaged`` where parts of it are missing.
    func read(_ name: String) async throws -> String? {
      // Somebody else may replace the parts while they are read.
      var last: String?
      while let text = try await lookUp(["item", name]) {
        guard let head = Head(text) else { return text }
        if let whole = try await read(head, of: name) { return whole }
        guard text != last else { throw ChecksummedEnvelope.damaged(place(of: name)) }
        last = text
      }
      return nil
    }

    /// Keeps a text under a name, in the place of the one there; two at a time must not.
    ///
    /// `label` is what a person sees of it in a list.
    func write(_ text: String, to name: String, label: String) async throws {
      let old = try await lookUp(["item", name]).flatMap(Head.init)
      guard text.utf8.count > Self.partSize else {
        try await store(text, label, ["item", name])
        if let old { try await clear(["part-of", name, "set", old.set]) }
        return
      }
      let set = old?.set == "a" ? "b" : "a"
      // A crash may have left some there.
      try await clear(["part-of", name, "set", set])
      let parts = Self.parts(of: text)
      for (number, part) in parts.enumerated() {
        let label = "\(label) (\(number + 1) of \(parts.count))"
        try await store(part, label, ["part-of", name, "set", set, "number", "\(number)"])
      }
      let head = Head(set: set, count: parts.count)
      try await store(head.text, label, ["item", name])
      if let old { try await clear(["part-of", name, "set", old.set]) }
    }

    /// Forgets the text of a name; it is no error where there is none.
    func remove(_ name: String) async throws {
      try await clear(["item", name])
      try await clear(["part-of", name])
    }

    /// Where a text is, for a person.
    func place(of name: String) -> String {
      "the item \(name) of \(service) in the Secret Service (secret-tool lookup service "
        + "\(service.quoted) item \(name))"
    }
  }

  extension SecretTool {
    /// What the item of a long text holds.
    private struct Head {
      let set: String
      let count: Int

      init(set: String, count: Int) {
        self.set = set
        self.count = count
      }

      /// What is none is the text itself.
      init?(_ text: String) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "parts", let count = Int(words[2]) else { return nil }
        self.init(set: String(words[1]), count: count)
      }

      var text: String { "parts:\(set):\(count)" }
    }

    private static func parts(of text: String) -> [String] {
      var parts = [""]
      var size = 0
      for scalar in text.unicodeScalars {
        let length = UTF8.width(scalar)
        if size + length > partSize {
          parts.append("")
          size = 0
        }
        parts[parts.count - 1].unicodeScalars.append(scalar)
        size += length
      }
      return parts
    }

    private func read(_ head: Head, of name: String) async throws -> String? {
      var whole = ""
      for number in 0..<max(head.count, 0) {
        let attributes = ["part-of", name, "set", head.set, "number", "\(number)"]
        guard let part = try await lookUp(attributes) else { return nil }
        whole += part
      }
      return whole
    }

    private func lookUp(
      _ attributes: [String], within time: Duration? = nil
    ) async throws -> String? {
      let outcome = try await run(["lookup"] + owned(attributes), within: time)
      if outcome.status == 0 { return outcome.output }
      // It tells nothing where there is none.
      guard outcome.status == 1, outcome.errors.isEmpty else { throw failure(outcome) }
      return nil
    }

    private func store(_ text: String, _ label: String, _ attributes: [String]) async throws {
      let outcome = try await run(
        ["store", "--label=\(label)"] + owned(attributes), input: text)
      guard outcome.status == 0, outcome.errors.isEmpty else { throw failure(outcome) }
    }

    private func clear(_ attributes: [String]) async throws {
      let outcome = try await run(["clear"] + owned(attributes))
      guard outcome.status == 0 || outcome.status == 1 && outcome.errors.isEmpty else {
        throw failure(outcome)
      }
    }

    private func owned(_ attributes: [String]) -> [String] { ["service", service] + attributes }

    private func run(
      _ arguments: [String], input: String = "", within time: Duration? = nil
    ) async throws -> ExternalProgram.Outcome {
      let time = time ?? timeout
      do {
        return try await withThrowingTaskGroup(of: ExternalProgram.Outcome.self) { group in
          group.addTask { try await program(arguments, input) }
          group.addTask {
            try await Task.sleep(for: time)
            throw CredentialStoreError(
              .unavailable,
              "The Secret Service did not answer within \(time.inWords). Is there a window that asks "
                + "to unlock the keyring? Otherwise keep credentials in a file.")
          }
          defer { group.cancelAll() }
          guard let outcome = try await group.next() else { throw CancellationError() }
          return outcome
        }
      } catch let failure as SystemFailure {
        throw CredentialStoreError(
          .unavailable, "secret-tool cannot be run: \(failure).", systemCode: failure.code)
      }
    }

    /// What the program complains about, by its first line.
    private func failure(_ outcome: ExternalProgram.Outcome) -> CredentialStoreError {
      let line = outcome.errors.split(separator: "\n").first.map(String.init)
      let words = line ?? "secret-tool ended with status \(outcome.status)"
      return CredentialStoreError(
        .unavailable,
        "The Secret Service refuses: \(words.printable). Start and unlock a keyring, or keep "
          + "credentials in a file.")
    }
  }
#endif
