import IDXSystem
// How requests are answered, one after the other, on the thread that reads.
extension InteractiveTerminal {
  private enum Typed {
    /// All before Enter, or `?` alone.
    case line([UInt8])
    /// What Ctrl-D was pressed after, without Enter.
    case rest([UInt8])
    case end
  }

  private static let newline = UInt8(ascii: "\n")
  /// How soon after `?` an Enter belongs to it, in milliseconds: at other prompts it takes both.
  private static let timeout: Int32 = 300

  /// Answers the request whose turn has come.
  func answer(_ request: LineRequest) {
    guard request.begin() else { return }
    request.finish(Result { try ask(request) })
  }

  /// Sets the mode and writes what is asked, unless the shell has the terminal.
  func show(_ state: inout State) {
    guard let asking = state.asking, !device.isInBackground else { return }
    let earlierMode = asking.earlierMode ?? TerminalMode(of: device.descriptor)
    state.asking?.earlierMode = earlierMode
    earlierMode?.asking(for: asking.request.kind).apply(to: device.descriptor)
    let prompt = asking.request.prompt
    let isStatus = asking.request.kind.isKey && !prompt.isEmpty
    device.put(isStatus ? Self.overwriting(with: prompt) : prompt)
    state.asking?.isStatusShown = isStatus
  }

  /// Goes back to the mode from before the request.
  func restore(_ asking: Asking, discarding: Bool) {
    // In the background it is the shell's terminal by now, and touching it would stop the process.
    guard !device.isInBackground else { return }
    if discarding { device.discardInput() }
    asking.earlierMode?.apply(to: device.descriptor)
  }

  private func ask(_ request: LineRequest) throws -> Line {
    let isTypedAhead = try hasLine()
    let lineEnd = request.kind.isKey ? "" : "\n"
    begin(request)
    let typed: Typed
    do {
      typed = try waitForAnswer(request)
    } catch {
      end(discarding: true, writing: lineEnd)
      throw error
    }
    switch typed {
    case .line(let bytes):
      let text = Self.text(bytes)
      let unseen = isTypedAhead ? text + "\n" : ""
      end(discarding: false, writing: request.kind == .line ? unseen : lineEnd)
      return .text(text)
    case .rest(let bytes):
      end(discarding: false, writing: lineEnd)
      return .text(Self.text(bytes))
    case .end:
      end(discarding: false, writing: lineEnd)
      return .endOfInput
    }
  }

  private func hasLine() throws -> Bool {
    if state.withLock({ $0.pending.contains(Self.newline) }) { return true }
    return try Readiness.canRead(device.descriptor)
  }

  private func waitForAnswer(_ request: LineRequest) throws -> Typed {
    while true {
      if request.isCancelled { throw CancellationError() }
      if let typed = try takeTyped(request.kind) { return typed }
      switch try JobControl.stoppable({ try device.take() }) {
      case .bytes(let bytes):
        state.withLock { $0.pending += bytes }
      case .end:
        let rest = state.withLock { state in
          defer { state.pending = [] }
          return state.pending
        }
        return rest.isEmpty || request.kind.isKey ? .end : .rest(rest)
      case .nothing:
        try Readiness.waitToRead([device.descriptor, wake.descriptor])
        wake.drain()
      }
    }
  }

  private func begin(_ request: LineRequest) {
    if device.isInBackground { JobControl.stopInBackground() }
    state.withLock { state in
      state.asking = Asking(request: request)
      if !state.isSuspended { show(&state) }
    }
  }

  private func end(discarding: Bool, writing text: String) {
    state.withLock { state in
      if discarding { state.pending = [] }
      clearStatus(&state)
      if let asking = state.asking, !state.isSuspended {
        restore(asking, discarding: discarding)
      }
      state.asking = nil
      device.put(text)
    }
  }

  private func takeTyped(_ kind: LineRequest.Kind) throws -> Typed? {
    guard case .key(let orText) = kind else {
      return state.withLock { Self.takeLine(&$0.pending) }.map(Typed.line)
    }
    let typed = state.withLock { state in
      let control = state.asking?.earlierMode?.endOfInput ?? 0x04
      return Self.takeKey(&state.pending, orText: orText, endOfInput: control)
    }
    if case .line([UInt8(ascii: "?")])? = typed { try dropEnter() }
    return typed
  }

  /// Drops an Enter that follows at once.
  private func dropEnter() throws {
    if state.withLock({ $0.pending.isEmpty }),
      try Readiness.canRead(device.descriptor, within: Self.timeout),
      case .bytes(let bytes) = try device.take()
    {
      state.withLock { $0.pending += bytes }
    }
    state.withLock { state in
      if state.pending.first == Self.newline { state.pending.removeFirst() }
    }
  }

  private static func takeLine(_ pending: inout [UInt8]) -> [UInt8]? {
    guard let end = pending.firstIndex(of: newline) else { return nil }
    defer { pending.removeSubrange(...end) }
    return Array(pending[..<end])
  }

  /// The first key that counts; what comes before it is dropped unless text is wanted.
  private static func takeKey(
    _ pending: inout [UInt8], orText: Bool, endOfInput: UInt8
  ) -> Typed? {
    let question = UInt8(ascii: "?")
    // In an address a question mark is part of the text.
    let colon = orText ? pending.firstIndex(of: UInt8(ascii: ":")) ?? pending.count : pending.count
    let end = pending.indices.first { index in
      let byte = pending[index]
      return byte == newline || byte == endOfInput || (byte == question && index < colon)
    }
    guard let end else {
      if !orText || pending.count > 16_384 { pending = [] }
      return nil
    }
    defer { pending.removeSubrange(...end) }
    switch pending[end] {
    case question: return .line([question])
    case newline: return .line(orText ? Array(pending[..<end]) : [])
    default: return .end
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    ControlSequences.removed(from: String(decoding: bytes, as: UTF8.self))
  }
}
