#if canImport(Glibc)
  import CLibcurl
  import Glibc
  import IDXBase

  /// The functions of the system's libcurl, which is opened at run time, so that a build needs no headers.
  ///
  /// It has had the same binary interface since 2006. Options that a version does not know are refused by it
  /// and have no effect; ``isAtLeast(_:)`` says which version it is. Source: libcurl's manual pages.
  struct Libcurl: @unchecked Sendable {
    // Unchecked: pointers to functions and code never change, and libcurl may be called on any thread.
    typealias Easy = OpaquePointer
    typealias Multi = OpaquePointer
    typealias Share = OpaquePointer
    typealias List = OpaquePointer

    let easyInit: @convention(c) () -> Easy?
    let easyCleanup: @convention(c) (Easy) -> Void
    let easyError: @convention(c) (Int32) -> UnsafePointer<CChar>?
    let listAppend: @convention(c) (List?, UnsafePointer<CChar>) -> List?
    let listFree: @convention(c) (List?) -> Void
    let multiInit: @convention(c) () -> Multi?
    let multiCleanup: @convention(c) (Multi) -> Int32
    let multiAdd: @convention(c) (Multi, Easy) -> Int32
    let multiRemove: @convention(c) (Multi, Easy) -> Int32
    let multiSocketAction:
      @convention(c) (Multi, Int32, Int32, UnsafeMutablePointer<Int32>) -> Int32
    let multiMessage:
      @convention(c) (Multi, UnsafeMutablePointer<Int32>) ->
        UnsafePointer<IDXTransferMessage>?
    let shareInit: @convention(c) () -> Share?
    let shareCleanup: @convention(c) (Share) -> Int32
    private let easySetOption: UnsafeMutableRawPointer
    private let easyGetInfo: UnsafeMutableRawPointer
    private let multiSetOption: UnsafeMutableRawPointer
    private let shareSetOption: UnsafeMutableRawPointer

    /// The version, such as 0x075801 for 7.88.1.
    let version: UInt32
    /// Whether it can speak HTTP/2.
    let supportsHTTP2: Bool
    /// Whether its TLS library refuses a connection that ends without `close_notify`, as GnuTLS does.
    let noticesEarlyEnds: Bool

    /// The library of the system; opened once.
    static let system: Result<Libcurl, Unavailable> = Result { () throws(Unavailable) in
      try Libcurl(["libcurl.so.4", "libcurl-gnutls.so.4"])
    }

    /// There is no library that can be used.
    struct Unavailable: Error, CustomStringConvertible {
      let description: String
    }

    /// A version that matters here.
    enum Version: UInt32 {
      /// 7.68, the oldest that works.
      case minimum = 0x07_4400
      /// 7.80 with `CURLOPT_PREREQFUNCTION`: whether a request certainly did not leave, and no second attempt.
      case prerequest = 0x07_5000
    }

    /// Opens the first library that exists, in the folders of the system.
    ///
    /// A program may be linked to look for libraries in its own `folder` first, and anybody may have put one there, such
    /// as among downloads. So nothing is opened while one is there.
    init(_ names: [String], besideProgramIn folder: String? = programFolder) throws(Unavailable) {
      let own = folder.map { folder in names.map { "\(folder)/\($0)" } } ?? []
      if let planted = own.first(where: { access($0, F_OK) == 0 }) {
        throw Unavailable(
          description:
            "\(planted.printable) is in the folder of the program, and is not the libcurl of the system. "
            + "Remove it, or move the program to another folder")
      }
      var opened: (name: String, library: UnsafeMutableRawPointer)?
      var reasons: [String] = []
      for name in names where opened == nil {
        opened = dlopen(name, RTLD_NOW | RTLD_LOCAL).map { (name, $0) }
        if opened == nil { reasons.append(dlerror().map { String(cString: $0) } ?? name) }
      }
      guard let (name, library) = opened else {
        throw Unavailable(
          description: "there is no libcurl (\(reasons[0])). Install it, for example: "
            + "apt-get install libcurl4, or dnf install libcurl")
      }
      func address(_ symbol: String) throws(Unavailable) -> UnsafeMutableRawPointer {
        guard let address = dlsym(library, symbol) else {
          throw Unavailable(
            description:
              "\(name) is too old: it has no \(symbol). Install libcurl 7.68 or later")
        }
        return address
      }
      func function<Function>(_ symbol: String) throws(Unavailable) -> Function {
        unsafeBitCast(try address(symbol), to: Function.self)
      }
      let globalInit: @convention(c) (Int) -> Int32 = try function("curl_global_init")
      let versionInfo: @convention(c) (Int32) -> UnsafePointer<IDXLibraryVersion>? =
        try function("curl_version_info")
      easyInit = try function("curl_easy_init")
      easyCleanup = try function("curl_easy_cleanup")
      easyError = try function("curl_easy_strerror")
      listAppend = try function("curl_slist_append")
      listFree = try function("curl_slist_free_all")
      multiInit = try function("curl_multi_init")
      multiCleanup = try function("curl_multi_cleanup")
      multiAdd = try function("curl_multi_add_handle")
      multiRemove = try function("curl_multi_remove_handle")
      multiSocketAction = try function("curl_multi_socket_action")
      multiMessage = try function("curl_multi_info_read")
      shareInit = try function("curl_share_init")
      shareCleanup = try function("curl_share_cleanup")
      easySetOption = try address("curl_easy_setopt")
      easyGetInfo = try address("curl_easy_getinfo")
      multiSetOption = try address("curl_multi_setopt")
      shareSetOption = try address("curl_share_setopt")
      let isStarted = globalInit(IDX_CURL_GLOBAL_DEFAULT) == 0
      IDXUseStopsAtExit()
      guard isStarted, let info = versionInfo(0) else {
        throw Unavailable(
          description: "\(name) cannot be used: its start failed. Install libcurl again")
      }
      version = info.pointee.number
      noticesEarlyEnds =
        info.pointee.tls.map { String(cString: $0).hasPrefix("GnuTLS") } ?? false
      supportsHTTP2 = Int(info.pointee.features) & IDX_CURL_VERSION_HTTP2 != 0
      guard isAtLeast(.minimum) else {
        throw Unavailable(description: "\(name) is too old. Install libcurl 7.68 or later")
      }
    }

    /// The folder of the program that runs; nil if the system does not say.
    private static let programFolder: String? = {
      var path = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/exe", &path, path.count - 1)
      guard count > 0 else { return nil }
      let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }()

    /// Whether the library is as new as a version.
    func isAtLeast(_ other: Version) -> Bool { version >= other.rawValue }

    // MARK: Options; the result is 0, or the reason why the library refused

    func set(_ easy: Easy, _ option: Int, _ value: Int) -> Int32 {
      option >= IDX_CURLOPT_MAXFILESIZE_LARGE
        ? IDXCurlSetOffset(easySetOption, .init(easy), Int32(option), Int64(value))
        : IDXCurlSetLong(easySetOption, .init(easy), Int32(option), value)
    }

    func set(_ easy: Easy, _ option: Int, _ value: UnsafeRawPointer?) -> Int32 {
      IDXCurlSetPointer(easySetOption, .init(easy), Int32(option), value)
    }

    func set(_ multi: Multi, ofAll option: Int, _ value: Int) -> Int32 {
      IDXCurlSetLong(multiSetOption, .init(multi), Int32(option), value)
    }

    func set(_ multi: Multi, ofAll option: Int, _ value: UnsafeRawPointer?) -> Int32 {
      IDXCurlSetPointer(multiSetOption, .init(multi), Int32(option), value)
    }

    func share(_ data: Int, by share: Share) -> Int32 {
      IDXCurlSetLong(shareSetOption, .init(share), Int32(IDX_CURLSHOPT_SHARE), data)
    }

    /// A fact about a transfer (`CURLINFO`); 0 if it is not known.
    func info(_ name: Int, of easy: Easy) -> Int {
      var value = 0
      return IDXCurlGetLong(easyGetInfo, .init(easy), Int32(name), &value) == 0 ? value : 0
    }
  }
#endif
