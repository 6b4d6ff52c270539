import Foundation
import IDXBase
import IDXSystem

@testable import idx_flow

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A sign-in of the command at two pipes, as another program drives it (`--front-end json`).
final class ProgramDialog: Sendable {
  let program: Program
  private let input: Int32
  private let output: Int32
  private let reader: LineReader
  private let isOpen = Locked(true)
  private let lines = Locked<[JSONValue]>([])

  /// Starts `idx-flow signin --front-end json` with more words.
  init(_ words: [String], variables: [String: String] = [:]) throws {
    var (toProgram, fromProgram): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard Program.openPipe(&toProgram), Program.openPipe(&fromProgram) else {
      throw Program.Failure(description: "no pipes")
    }
    (input, output) = (toProgram[1], fromProgram[0])
    reader = LineReader(output)
    defer {
      close(toProgram[0])
      close(fromProgram[1])
    }
    program = try Program(
      ["signin", "--front-end", "json"] + words, environment: variables,
      pipes: (toProgram[0], fromProgram[1]))
  }

  deinit {
    closeInput()
    close(output)
  }

  /// All lines so far.
  var all: [JSONValue] { lines.withLock { $0 } }

  /// Writes a line as it is.
  func send(_ line: String) { send(bytes: Array("\(line)\n".utf8)) }

  func send(bytes: [UInt8]) { _ = IDXSystem.write(all: bytes, to: input) }

  /// Submits those of the values for which a screen has an input.
  func submit(_ values: [String: String], to screen: JSONValue) {
    let ids = Set((screen["inputs"]?.array ?? []).compactMap { $0["id"]?.string })
    let members = values.filter { ids.contains($0.key) }
      .map { JSONValue.Object.Member($0.key, .string($0.value)) }
    let reply: JSONValue = [
      "number": screen["number"] ?? 0, "reply": "submit", "values": .object(.init(members)),
    ]
    send(reply.text)
  }

  func closeInput() {
    isOpen.withLock { isOpen in
      if isOpen { close(input) }
      isOpen = false
    }
  }

  /// The next line; nil at the end.
  func next() async throws -> JSONValue? {
    guard case .line(let bytes) = try await reader.next() else { return nil }
    let line = try JSONValue(parsing: bytes)
    lines.withLock { $0.append(line) }
    return line
  }

  /// The next line of a type; throws at the end.
  func next(_ type: String) async throws -> JSONValue {
    while let line = try await next() {
      if line["type"]?.string == type { return line }
    }
    throw Program.Failure(
      description: "no \(type): \(all.map(\.text)) \(program.errorsSoFar)")
  }

  /// The next screen.
  func screen() async throws -> JSONValue { try await next("screen")["screen"] ?? .null }

  /// Reads up to the end; returns the last line and how the program ended.
  func end() async throws -> (line: JSONValue, program: Program.End) {
    while try await next() != nil {}
    return (all.last ?? .null, program.end())
  }
}
