#if canImport(Glibc)
  import Glibc

  /// One call of libcurl by the thread of a ``TransferLoop``.
  ///
  /// libcurl reads as long as something comes. A call is too long if it has read much and worked for long: much alone
  /// is a long response, and long alone is a slow computer, on which establishing TLS takes seconds.
  final class LibcurlCall {
    /// The most processor time of a call that reads much, in seconds: a response as long as the limit takes some
    /// milliseconds.
    private static let longest = 1.0
    /// After this many checks, a call has read much.
    ///
    /// There is a check for each text about the connection, for data that is sent or received (with OpenSSL for each
    /// record of TLS), and while libcurl waits for a proxy. To establish a connection takes fewer than a hundred.
    private static let many = 1024

    /// The connection on which something came; -1 if none.
    private(set) var descriptor: Int32 = -1
    private let processorTime: () -> Double
    private var start = 0.0
    private var checks = 0

    /// `processorTime` is that of the thread, in seconds: with another clock, a process that was stopped for a while
    /// would seem to have worked.
    init(processorTime: @escaping () -> Double = LibcurlCall.threadTime) {
      self.processorTime = processorTime
    }

    func begin(_ descriptor: Int32) {
      self.descriptor = descriptor
      start = processorTime()
      checks = 0
    }

    /// Counts a check; returns whether the call takes too long.
    func check() -> Bool {
      checks += 1
      // The time is asked for seldom, because that takes longer than most calls of this.
      return checks % Self.many == 0 && processorTime() - start > Self.longest
    }

    static func threadTime() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }
#endif
