import Foundation

/// How long OpenSSL takes to verify a signature with RSA-2048, as the yardstick for RS256.
enum OpenSSLSpeed {
  /// Runs `openssl speed` for about two seconds; nil if the program is not installed.
  static func verification() -> Measurement? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl", "speed", "-mr", "-seconds", "1", "rsa2048"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    // `openssl speed` stops at this signal. Threads that run tasks block it, and a new process would too.
    var alarm = sigset_t()
    sigemptyset(&alarm)
    sigaddset(&alarm, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &alarm, nil)
    guard (try? process.run()) != nil, let bytes = try? output.fileHandleForReading.readToEnd()
    else { return nil }
    process.waitUntilExit()
    return microseconds(in: String(decoding: bytes, as: UTF8.self)).map {
      Measurement("RSA-2048 verified by OpenSSL", [$0], unit: "µs")
    }
  }

  /// The time of a verification, from a line such as `+F2:2:2048:4220.689655:61715.873016`.
  ///
  /// The last number is the verifications in a second, or, before OpenSSL 3, the seconds of one.
  static func microseconds(in output: String) -> Double? {
    guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("+F2:") }),
      let number = line.split(separator: ":").last.flatMap({ Double($0) }), number > 0
    else { return nil }
    return (number > 1 ? 1 / number : number) * 1e6
  }
}
