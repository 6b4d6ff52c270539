import IDXBase

#if !canImport(Security)
  import Foundation
  import IDXOAuth
  import IDXSystem

  /// Stores texts of any length in the Secret Service, with the program `secret-tool` of libsecret.
  ///
  /// The program reads at most 8191 bytes and drops the rest, so a longer text is stored in parts. The
  /// item with the name of the text says how many parts there are, and in which of two sets, `a` or `b`.
  /// A change writes the parts of the other set first and the item last. So after a crash, the old text
  /// or the new one is there.
  ///
  /// Texts are written to the standard input, because all users can see arguments.
  struct SecretTool: Sendable {
    /// The largest part in bytes.
    static let partSize = 6000
    /// The most parts that a text can have, more than a sign-in needs.
    static let mostParts = 1000

    let service: String
    let timeout: Duration
    /// Runs the program with arguments and input.
    let program:
      @Sendable (_ arguments: [String], _ input: String) async throws -> ExternalProgram.Exit

    /// Looks up an item that does not exist; throws if there is no answer in time.
    ///
    /// Only this throws ``CredentialStoreError/Code/absent``: what has answered once is there.
    func probe(within time: Duration) async throws {
      let exit = try await run(["lookup"], ["probe", "probe"], within: time)
      guard exit.status != 0, !exit.hasFoundNothing else { return }
      let lines = exit.errors.split(whereSeparator: \.isNewline)
      guard let line = lines.first(where: { Self.absences.contains(String($0)) }) else {
        throw failure(exit)
      }
      throw CredentialStoreError(
        .absent,
        "No program provides a keyring in this session: \(line). Install and start one, or store "
          + "credentials in files.")
    }

    /// Whether there is a text with a name, even a damaged one.
    func contains(_ name: String) async throws -> Bool { try await lookUp(["item", name]) != nil }

    /// The text with a name; nil if there is none.
    ///
    /// Throws ``CredentialStoreError/Code/damaged`` if a part is missing.
    func read(_ name: String) async throws -> String? {
      // If a part is missing, another process may have replaced the text meanwhile: then try again.
      var last: String?
      while let text = try await lookUp(["item", name]) {
        guard let head = Head(text) else { return text }
        if let whole = try await read(head, of: name) { return whole }
        guard text != last else { throw CredentialStoreError.damaged(place(of: name)) }
        last = text
      }
      return nil
    }

    /// Saves a text under a name and replaces the existing one.
    ///
    /// `label` is the title of the item for the user. Only one caller may write at a time.
    func write(_ text: String, to name: String, label: String) async throws {
      let old = try await lookUp(["item", name]).flatMap(Head.init)
      guard text.utf8.count > Self.partSize else {
        try await store(text, label, ["item", name])
        if let old { try await clear(["part-of", name, "set", old.set]) }
        return
      }
      let set = old?.set == "a" ? "b" : "a"
      // A crash may have left parts behind.
      try await clear(["part-of", name, "set", set])
      let parts = Self.parts(of: text)
      guard parts.count <= Self.mostParts else {
        throw CredentialStoreError(.unavailable, "The credential is too long for a keyring.")
      }
      for (number, part) in parts.enumerated() {
        let label = "\(label) (\(number + 1) of \(parts.count))"
        try await store(part, label, ["part-of", name, "set", set, "number", "\(number)"])
      }
      try await store("parts:\(set):\(parts.count)", label, ["item", name])
      if let old { try await clear(["part-of", name, "set", old.set]) }
    }

    /// Removes the text with a name, if there is one.
    func remove(_ name: String) async throws {
      try await clear(["item", name])
      try await clear(["part-of", name])
    }

    /// Where the text with a name is, in words and as a command.
    func place(of name: String) -> String {
      "the item \(name) of \(service) in the Secret Service (secret-tool lookup service "
        + "\(service.shellWord) item \(name))"
    }
  }

  extension SecretTool {
    /// The content of the item of a long text: `parts:SET:COUNT`.
    private struct Head {
      let set: String
      let count: Int

      /// Reads the content of an item; nil if it is the text itself.
      init?(_ text: String) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "parts", let count = Int(words[2]),
          (1...SecretTool.mostParts).contains(count)
        else { return nil }
        set = String(words[1])
        self.count = count
      }
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
      for number in 0..<head.count {
        let attributes = ["part-of", name, "set", head.set, "number", "\(number)"]
        guard let part = try await lookUp(attributes) else { return nil }
        whole += part
      }
      return whole
    }

    private func lookUp(_ attributes: [String]) async throws -> String? {
      let exit = try await run(["lookup"], attributes)
      if exit.status == 0 { return exit.output }
      guard exit.hasFoundNothing else { throw failure(exit) }
      return nil
    }

    private func store(_ text: String, _ label: String, _ attributes: [String]) async throws {
      let exit = try await run(["store", "--label=\(label)"], attributes, input: text)
      guard exit.status == 0, exit.errors.isEmpty else {
        // Its words might quote the text, which contains tokens.
        throw failure("secret-tool could not store an item (status \(exit.status))")
      }
    }

    private func clear(_ attributes: [String]) async throws {
      let exit = try await run(["clear"], attributes)
      guard exit.status == 0 || exit.hasFoundNothing else { throw failure(exit) }
    }

    private func run(
      _ command: [String], _ attributes: [String], input: String = "", within time: Duration? = nil
    ) async throws -> ExternalProgram.Exit {
      let time = time ?? timeout
      let arguments = command + ["service", service] + attributes
      do {
        return try await withThrowingTaskGroup(of: ExternalProgram.Exit.self) { group in
          group.addTask { try await program(arguments, input) }
          group.addTask {
            try await Task.sleep(for: time)
            throw CredentialStoreError(
              .unavailable,
              "The Secret Service did not answer within \(time.inWords). If a window asks you to "
                + "unlock the keyring, do so. Otherwise store credentials in files.")
          }
          defer { group.cancelAll() }
          guard let exit = try await group.next() else { throw CancellationError() }
          return exit
        }
      } catch let failure as SystemFailure {
        throw CredentialStoreError(
          .unavailable, "secret-tool cannot be started: \(failure).", systemCode: failure.code)
      } catch is ExternalProgram.OutputTooLong {
        throw failure("secret-tool wrote more than 1 MiB")
      }
    }

    /// An error with the first line of the program's error output.
    private func failure(_ exit: ExternalProgram.Exit) -> CredentialStoreError {
      let line = exit.errors.split(separator: "\n").first.map { String($0.prefix(200)) }
      return failure(line?.printable ?? "secret-tool ended with status \(exit.status)")
    }

    private func failure(_ words: String) -> CredentialStoreError {
      CredentialStoreError(
        .unavailable,
        "The Secret Service cannot be used: \(words). Start and unlock a keyring, or store "
          + "credentials in files.")
    }

    /// What secret-tool prints, in English only, if no program provides the Secret Service: the words of
    /// D-Bus brokers.
    private static let absences = [
      "secret-tool: The name org.freedesktop.secrets was not provided by any .service files",
      "secret-tool: The name is not activatable",
    ]
  }

  extension ExternalProgram.Exit {
    /// Whether there is no such item: then `secret-tool` exits with 1 and prints nothing.
    fileprivate var hasFoundNothing: Bool { status == 1 && errors.isEmpty }
  }
#endif
