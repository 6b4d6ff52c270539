/// A system call that failed: its name, and the system's error code (`errno`).
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call) failed (error \(code))" }
}
