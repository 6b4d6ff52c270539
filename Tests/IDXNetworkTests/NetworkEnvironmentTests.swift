import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import IDXNetwork

/// The environment of the HTTP client.
struct NetworkEnvironmentTests {
  private func environment(_ values: [String: String]) -> NetworkEnvironment {
    NetworkEnvironment { values[$0] }
  }

  private func request(_ address: String) throws -> TransportRequest {
    TransportRequest(url: try require(URL(string: address)))
  }

  @Test(
    "The variables for proxies are read in the order of libcurl", .promise("proxy-use"),
    arguments: [
      (["https_proxy": "a:1"], "https", "a:1 (set in https_proxy)"),
      (["HTTPS_PROXY": "a:1"], "https", "a:1 (set in HTTPS_PROXY)"),
      (["https_proxy": "", "all_proxy": "b:2"], "https", "b:2 (set in all_proxy)"),
      (["https_proxy": "a:1", "all_proxy": "b:2"], "http", "b:2 (set in all_proxy)"),
      (["http_proxy": "http://u:secret@a:1"], "http", "a:1 (set in http_proxy)"),
      (["HTTP_PROXY": "a:1"], "http", nil),
      (["ALL_PROXY": "a\u{1B}:1"], "https", "a:1 (set in ALL_PROXY)"),
      (["https_proxy": "http://u:secret@"], "https", "… (set in https_proxy)"),
      (["https_proxy": "http://u:secret"], "https", "… (set in https_proxy)"),
      (["https_proxy": "http://u:s@a:1/?b=secret"], "https", "a:1 (set in https_proxy)"),
      (["https_proxy": "http://u:s@[::1]:8"], "https", "[::1]:8 (set in https_proxy)"),
      ([:], "https", nil),
    ] as [([String: String], String, String?)])
  func proxies(values: [String: String], scheme: String, expected: String?) throws {
    let url = try require(URL(string: "\(scheme)://dev.okta.example/"))
    expectEqual(environment(values).proxy(for: url)?.description, expected)
  }

  @Test(
    "no_proxy excludes names with their subdomains, addresses and networks",
    arguments: [
      ("*", "dev.okta.example", true), ("okta.example", "dev.okta.example", true),
      (".okta.example", "dev.okta.example", true), ("OKTA.example.", "dev.okta.example", true),
      ("other, dev.okta.example", "dev.okta.example", true), ("kta.example", "okta.example", false),
      ("10.0.0.0/8", "10.1.2.3", true), ("127.0.0.0/8", "128.0.0.1", false),
      ("0.0.0.0/0", "10.0.0.1", true), ("10.0.0.1", "10.0.0.1", true),
      ("fd00::1", "[fd00::1]", true),
      ("10.0.0.0/99", "10.0.0.1", false), ("", "10.0.0.1", false),
    ])
  func exclusions(list: String, host: String, isExcluded: Bool) throws {
    let values = ["all_proxy": "a:1", "no_proxy": list]
    let url = try require(URL(string: "https://\(host)/"))
    expectEqual(environment(values).proxy(for: url) == nil, isExcluded)
  }

  @Test(
    "Loopback addresses are added to no_proxy once, and “*” stays as it is",
    arguments: [
      ("", "localhost,127.0.0.1,127.0.0.0/8,::1"), ("*", "*"),
      ("a.example", "a.example,localhost,127.0.0.1,127.0.0.0/8,::1"),
      ("localhost,127.0.0.1,127.0.0.0/8,::1", "localhost,127.0.0.1,127.0.0.0/8,::1"),
      (
        "a.example,localhost,127.0.0.1,127.0.0.0/8,::1",
        "a.example,localhost,127.0.0.1,127.0.0.0/8,::1"
      ),
    ])
  func loopback(list: String, expected: String) {
    expectEqual(environment(["no_proxy": list]).excludedWithLoopback, expected)
    expectEqual(environment(["NO_PROXY": list]).excludedWithLoopback, expected)
  }

  #if os(Linux)
    @Test(
      "Nothing is sent while a variable would reveal secrets", .promise("debug-variables"),
      arguments: [
        "URLSessionDebugLibcurl", "URLSessionDebug", "SSLKEYLOGFILE", "KRB5_TRACE",
        "GNUTLS_DEBUG_LEVEL",
      ],
      ["1", ""])
    func revealing(name: String, value: String) throws {
      let error = try #require(throws: TransportError.self) {
        try request("https://a.example/x?y").checkEnvironment(environment([name: value]))
      }
      expect(error.code == .requestRefused && !error.mayHaveArrived)
      expectEqual(
        error.message,
        "GET a.example/x was not sent: the environment variable \(name) would reveal passwords "
          + "and tokens. Remove it.")
    }

    @Test(
      "A request for this computer is never sent to a proxy", .promise("proxy-use"),
      arguments: ["http://127.0.0.1:9/x", "http://localhost/", "https://[::1]/"])
    func loopback(address: String) throws {
      let values = environment(["all_proxy": "a:1", "http_proxy": "b:2", "https_proxy": "c:3"])
      try expectEqual(request(address).checkEnvironment(values), nil)
      try expect(request("https://a.example/").checkEnvironment(values) != nil)
    }
  #endif
}
