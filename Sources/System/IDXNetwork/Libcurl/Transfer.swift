#if canImport(Glibc)
  import CLibcurl
  import Foundation
  import Glibc
  import IDXBase

  /// One attempt to send a request with libcurl, on the thread of a ``TransferLoop``.
  final class Transfer {
    /// What is to be sent, and who waits for the response.
    struct Order: Sendable {
      let request: TransportRequest
      /// The method and the place, for errors.
      let attempt: String
      /// The address of the proxy with its username and password; nil if there is none.
      let proxy: String?
      let pending: PendingResponse
    }

    /// What all requests of a transport have in common.
    struct Settings: Sendable {
      let limits: HTTPTransport.Limits
      /// A file with the certificate authorities; nil if the system has none at the usual places, and libcurl knows
      /// another.
      let authorities: String?
      /// Whether connections to other computers are refused, also with https.
      var isLoopbackOnly = false
    }

    let number: Int
    let order: Order
    let easy: Libcurl.Easy
    /// The pool from which it may take a connection, and to which it gives one back.
    let pool: ConnectionPool?

    private let library: Libcurl
    private let settings: Settings
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers: Libcurl.List?
    /// Whether the request waits for the address of a host.
    ///
    /// libcurl before 7.87 waits for the end of the lookup if such a transfer is removed. So it is left alone
    /// until then, see ``abandon()``.
    private(set) var isLookingUp = false
    private var isAbandoned = false
    /// Its connection; -1 if that was opened by another request.
    private var descriptor: Int32 = -1
    private let call: LibcurlCall
    /// Whether the connection was established and the request was about to be sent.
    private var hasSent = false
    private var reader: ResponseReader
    private var log = StreamLog()
    /// A failure that was found here and made libcurl stop.
    private var failure: TransportFailure?

    /// Prepares a request; throws if libcurl refuses to protect it.
    init(
      _ order: Order, number: Int, library: Libcurl, settings: Settings, pool: ConnectionPool?,
      call: LibcurlCall
    ) throws(TransportError) {
      guard let easy = library.easyInit() else {
        throw TransportFailure.other("there is no memory for the request").error(
          attempt: order.attempt, mayHaveArrived: false)
      }
      self.number = number
      self.order = order
      self.library = library
      self.settings = settings
      self.easy = easy
      self.pool = pool
      self.call = call
      reader = ResponseReader(
        longestBody: settings.limits.body,
        acceptsCoding: order.request.method == "HEAD"
          || order.request.headers.contains {
            $0.key.lowercased() == "accept-encoding" && $0.value.lowercased() != "identity"
          })
      errorText = .allocate(capacity: IDX_CURL_ERROR_SIZE)
      errorText.initialize(repeating: 0, count: IDX_CURL_ERROR_SIZE)
      do throws(Refusal) {
        try setProtection()
        try setRequest()
        try setCallbacks()
      } catch {
        throw order.request.refusal(
          "the system's libcurl cannot send it safely (\(message(of: error.code))). Install another"
        )
      }
    }

    deinit {
      library.easyCleanup(easy)
      library.listFree(headers)
      errorText.deallocate()
    }

    /// Makes the request end before it connects; nobody waits for it any more.
    func abandon() { isAbandoned = true }

    /// Whether anything of the response has come.
    var hasBegunResponse: Bool { reader.hasBegun }

    /// Whether the request may have left this computer.
    var mayHaveLeft: Bool {
      // The size includes what was sent to the proxy.
      library.isAtLeast(.prerequest)
        ? hasSent : proxyStatus == nil && library.info(IDX_CURLINFO_REQUEST_SIZE, of: easy) > 0
    }

    /// The status of a proxy that has not connected the request to the server; 0 if it has not responded, and nil
    /// if there is no such proxy.
    private var proxyStatus: Int? {
      // A SOCKS proxy has no status.
      guard let proxy = order.proxy, !proxy.lowercased().hasPrefix("socks") else { return nil }
      let status = library.info(IDX_CURLINFO_HTTP_CONNECTCODE, of: easy)
      return (200..<300).contains(status) ? nil : status
    }

    /// Whether the server said that it did not process the request, so that it may be sent again.
    var isUnprocessed: Bool { log.isUnprocessed && !reader.hasBegun && failure == nil }

    /// The result of the transfer, from the code that libcurl names.
    func result(_ code: Int32) -> Result<TransportResponse, TransportError> {
      if code == 0, !isCutOff, let response = reader.response { return .success(response) }
      let detail = message(of: code)
      let reason =
        failure ?? (code == 0 && isCutOff ? .cutOff : nil)
        ?? TransportFailure(
          libcurl: Int(code), detail: detail, mayHaveLeft: mayHaveLeft,
          proxyStatus: proxyStatus, limit: settings.limits.body)
      return .failure(
        reason.error(
          attempt: order.attempt, mayHaveArrived: mayHaveLeft,
          underlying: LibcurlError(code: Int(code), description: detail)))
    }

    /// Whether only the end of the connection ended the body, and somebody else than the server may have ended it.
    ///
    /// With OpenSSL, libcurl does not tell these ends apart, and passes an end without `close_notify` on as an ordinary
    /// one (RFC 8446, section 6.1; RFC 9112, section 9.8). With a proxy over TLS, the alert may be that of the proxy.
    private var isCutOff: Bool {
      order.isTLS && order.request.method != "HEAD" && reader.endsWithConnection
        && (order.proxy?.lowercased().hasPrefix("https:") == true
          || !log.hasCloseNotify && !library.noticesEarlyEnds)
    }

    private func message(of code: Int32) -> String {
      let text =
        errorText.pointee == 0
        ? library.easyError(code).map { String(cString: $0) } ?? "error \(code)"
        : String(cString: errorText)
      // The address of a proxy may be wrong, so that nobody can tell which part of it is a password.
      return (order.proxy.map { text.replacing($0, with: "…") } ?? text)
        .trimmingCharacters(in: .whitespacesAndNewlines).printable.withoutUserInfo
    }

    // MARK: Options

    /// An option that libcurl refuses, and that the request needs.
    private struct Refusal: Error {
      let code: Int32
    }

    private func require(_ option: Int, _ value: Int) throws(Refusal) {
      let code = library.set(easy, option, value)
      guard code == 0 else { throw Refusal(code: code) }
    }

    private func require(_ option: Int, _ value: UnsafeRawPointer?) throws(Refusal) {
      let code = library.set(easy, option, value)
      guard code == 0 else { throw Refusal(code: code) }
    }

    private func require(_ option: Int, text: String) throws(Refusal) {
      let code = text.withCString { library.set(easy, option, UnsafeRawPointer($0)) }
      guard code == 0 else { throw Refusal(code: code) }
    }

    /// Certificates, proxies, connections and limits.
    private func setProtection() throws(Refusal) {
      try require(IDX_CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorText))
      // Signals and their actions are those of the whole process; the thread of the loop blocks them.
      try require(IDX_CURLOPT_NOSIGNAL, 1)
      try require(IDX_CURLOPT_PROTOCOLS, order.isTLS ? IDX_CURLPROTO_HTTPS : IDX_CURLPROTO_HTTP)
      try require(IDX_CURLOPT_SSL_VERIFYPEER, 1)
      try require(IDX_CURLOPT_SSL_VERIFYHOST, 2)
      try require(IDX_CURLOPT_SSLVERSION, IDX_CURL_SSLVERSION_TLSv1_2)
      // A session that is resumed would tell the server that two sign-ins come from the same program.
      try require(IDX_CURLOPT_SSL_SESSIONID_CACHE, 0)
      if let file = settings.authorities {
        try require(IDX_CURLOPT_CAINFO, text: file)
        _ = file.withCString { library.set(easy, IDX_CURLOPT_PROXY_CAINFO, UnsafeRawPointer($0)) }
        // The authorities in the folder of the system would be trusted too, and libcurl would read all
        // authorities again for each connection.
        _ = library.set(easy, IDX_CURLOPT_CAPATH, nil)
        _ = library.set(easy, IDX_CURLOPT_PROXY_CAPATH, nil)
        _ = library.set(easy, IDX_CURLOPT_CA_CACHE_TIMEOUT, 3600)
      }
      // An empty text, because without one libcurl reads the environment.
      try require(IDX_CURLOPT_PROXY, text: order.proxy ?? "")
      try require(IDX_CURLOPT_NOPROXY, text: "")
      try require(IDX_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      try require(IDX_CURLOPT_HTTP09_ALLOWED, 0)
      try require(IDX_CURLOPT_MAXFILESIZE_LARGE, settings.limits.body)
      // Only a connection that has proved to be one of HTTP/2 may be used again; see `take(_:_:isHead:)`.
      try require(IDX_CURLOPT_FORBID_REUSE, 1)
      try require(IDX_CURLOPT_FRESH_CONNECT, pool == nil ? 1 : 0)
      if let pool { try require(IDX_CURLOPT_SHARE, UnsafeRawPointer(pool.share)) }
      _ = library.set(easy, IDX_CURLOPT_MAXAGE_CONN, ConnectionPool.longestIdleSeconds)
      _ = library.set(easy, IDX_CURLOPT_QUICK_EXIT, 1)
    }

    private func setRequest() throws(Refusal) {
      let request = order.request
      try require(IDX_CURLOPT_URL, text: request.url.withoutFragment)
      try require(IDX_CURLOPT_PATH_AS_IS, 1)
      if order.isTLS, library.supportsHTTP2 {
        try require(IDX_CURLOPT_HTTP_VERSION, IDX_CURL_HTTP_VERSION_2TLS)
      }
      if request.body.isEmpty, request.method != "POST" {
        try require(IDX_CURLOPT_HTTPGET, 1)
        if request.method == "HEAD" { try require(IDX_CURLOPT_NOBODY, 1) }
      } else {
        try require(IDX_CURLOPT_POST, 1)
        try require(IDX_CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
        let code = request.body.withUnsafeBytes {
          library.set(easy, IDX_CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        }
        guard code == 0 else { throw Refusal(code: code) }
      }
      if request.method != "HEAD" { try require(IDX_CURLOPT_CUSTOMREQUEST, text: request.method) }
      // Otherwise libcurl would add a type, and wait for the server before it sends a long body.
      var lines = ["Expect:", "Content-Type:"]
      for (name, value) in request.headers {
        switch name.lowercased() {
        // The length is that of the body.
        case "content-length", "transfer-encoding": continue
        case "content-type": lines.removeAll { $0 == "Content-Type:" }
        default: break
        }
        // A field without a value is removed unless it ends with a semicolon.
        let isEmpty = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        lines.append(isEmpty ? "\(name);" : "\(name): \(value)")
      }
      for line in lines { headers = library.listAppend(headers, line) ?? headers }
      try require(IDX_CURLOPT_HTTPHEADER, UnsafeRawPointer(headers))
    }

    private func setCallbacks() throws(Refusal) {
      // The loop keeps this object until libcurl has forgotten it.
      let this = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
      for data in [
        IDX_CURLOPT_WRITEDATA, IDX_CURLOPT_HEADERDATA, IDX_CURLOPT_OPENSOCKETDATA,
        IDX_CURLOPT_RESOLVER_START_DATA,
      ] {
        try require(data, this)
      }
      let receive: ReceiveFunction = { bytes, size, count, transfer in
        Transfer.of(transfer).take(bytes, size * count, isHead: false)
      }
      let receiveHead: ReceiveFunction = { bytes, size, count, transfer in
        Transfer.of(transfer).take(bytes, size * count, isHead: true)
      }
      let open: OpenFunction = { transfer, _, address in Transfer.of(transfer).open(address) }
      let lookUp: LookUpFunction = { _, _, transfer in
        Transfer.of(transfer).isLookingUp = true
        return 0
      }
      try require(IDX_CURLOPT_WRITEFUNCTION, unsafeBitCast(receive, to: UnsafeRawPointer.self))
      try require(IDX_CURLOPT_HEADERFUNCTION, unsafeBitCast(receiveHead, to: UnsafeRawPointer.self))
      try require(IDX_CURLOPT_OPENSOCKETFUNCTION, unsafeBitCast(open, to: UnsafeRawPointer.self))
      try require(
        IDX_CURLOPT_RESOLVER_START_FUNCTION, unsafeBitCast(lookUp, to: UnsafeRawPointer.self))
      let progress: ProgressFunction = { transfer, _, _, _, _ in Transfer.of(transfer).endFlood() }
      try require(
        IDX_CURLOPT_XFERINFOFUNCTION, unsafeBitCast(progress, to: UnsafeRawPointer.self))
      try require(IDX_CURLOPT_XFERINFODATA, this)
      try require(IDX_CURLOPT_NOPROGRESS, 0)
      try setDebug(this)
      guard library.isAtLeast(.prerequest) else { return }
      let willSend: SendFunction = { transfer, _, _, _, _ in Transfer.of(transfer).willSend() }
      try require(IDX_CURLOPT_PREREQFUNCTION, unsafeBitCast(willSend, to: UnsafeRawPointer.self))
      try require(IDX_CURLOPT_PREREQDATA, this)
    }

    private func setDebug(_ this: UnsafeRawPointer) throws(Refusal) {
      let debug: DebugFunction = { _, kind, text, length, transfer in
        _ = Transfer.of(transfer).endFlood()
        // All other kinds are what is sent and received.
        if Int(kind) == IDX_CURLINFO_TEXT, let text {
          Transfer.of(transfer).log.read(
            String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self))
        }
        return 0
      }
      try require(IDX_CURLOPT_DEBUGFUNCTION, unsafeBitCast(debug, to: UnsafeRawPointer.self))
      try require(IDX_CURLOPT_DEBUGDATA, this)
      try require(IDX_CURLOPT_VERBOSE, 1)
    }

    // MARK: Callbacks

    private typealias ReceiveFunction =
      @convention(c) (UnsafePointer<UInt8>?, Int, Int, UnsafeMutableRawPointer?) -> Int
    private typealias OpenFunction =
      @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<IDXSocketAddress>?) -> Int32
    private typealias LookUpFunction =
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
      ) -> Int32
    private typealias SendFunction =
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, Int32
      ) -> Int32
    private typealias ProgressFunction =
      @convention(c) (UnsafeMutableRawPointer?, Int64, Int64, Int64, Int64) -> Int32
    private typealias DebugFunction =
      @convention(c) (
        OpaquePointer?, Int32, UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer?
      ) -> Int32

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
      guard let pointer else { preconditionFailure("libcurl lost the data of a callback") }
      return Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Takes a part of the response; returns the number of bytes, and fewer in order to stop.
    private func take(_ bytes: UnsafePointer<UInt8>?, _ count: Int, isHead: Bool) -> Int {
      let part = UnsafeBufferPointer(start: bytes, count: count)
      do throws(TransportFailure) {
        if isHead {
          try reader.take(line: part)
          // A server could write “HTTP/2” into a response of HTTP/1.1.
          if pool != nil, reader.isHeadComplete, log.hasStream {
            _ = library.set(easy, IDX_CURLOPT_FORBID_REUSE, 0)
          }
        } else {
          try reader.take(body: part)
        }
        return count
      } catch {
        failure = error
        // More than there was also stops libcurl, and is no pause.
        return count == 0 ? 1 : 0
      }
    }

    /// Opens a socket for an address; -1 in order to refuse it.
    private func open(_ address: UnsafePointer<IDXSocketAddress>?) -> Int32 {
      isLookingUp = false
      guard let address, !isAbandoned, !hasSent else { return -1 }
      guard order.isTLS && !settings.isLoopbackOnly || address.pointee.isLoopback else {
        failure = .notLoopback
        return -1
      }
      failure = nil
      let descriptor = socket(
        address.pointee.family, address.pointee.socketType | Int32(SOCK_CLOEXEC.rawValue),
        address.pointee.protocol)
      self.descriptor = descriptor
      if descriptor < 0, [EMFILE, ENFILE].contains(errno) { failure = .noDescriptors }
      return descriptor
    }

    /// Ends the connection if a call of libcurl takes too long; returns 1 in order to stop it.
    ///
    /// libcurl reads as long as something comes, such as empty frames, and meanwhile no other request continues, and
    /// no limit of time is enforced.
    private func endFlood() -> Int32 {
      guard call.check() else { return 0 }
      failure = .flood
      let connection = call.descriptor >= 0 ? call.descriptor : descriptor
      if connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
      return 1
    }

    /// Called when the connection is established, before anything of the request is sent.
    ///
    /// libcurl sends a request again on a new connection if one that is used again has ended without a
    /// response, although the server may have processed it.
    private func willSend() -> Int32 {
      guard !hasSent else { return Int32(IDX_CURL_PREREQFUNC_ABORT) }
      hasSent = true
      return Int32(IDX_CURL_PREREQFUNC_OK)
    }
  }

  extension Transfer.Order {
    var isTLS: Bool { request.url.scheme?.lowercased() == "https" }
  }

  extension IDXSocketAddress {
    /// Whether the address is in `127.0.0.0/8`, or `::1`.
    var isLoopback: Bool {
      withUnsafeBytes(of: bytes) { start in
        switch family {
        case AF_INET: start[4] == 127
        case AF_INET6: start[8..<23].allSatisfy { $0 == 0 } && start[23] == 1
        default: false
        }
      }
    }
  }

  extension URL {
    fileprivate var withoutFragment: String {
      let text = absoluteString
      return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }
  }
#endif
