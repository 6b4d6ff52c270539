import Expectations
import Foundation
import IDXOAuth
import Testing

@testable import IDXNetwork

@Suite("The environment of the HTTP client")
struct NetworkEnvironmentTests {
  private func environment(_ values: [String: String]) -> NetworkEnvironment {
    NetworkEnvironment { values[$0] }
  }

  private func request(_ address: String) throws -> TransportRequest {
    TransportRequest(url: try #require(URL(string: address)))
  }

  @Test(
    "The variables for proxies are read in the order of libcurl",
    arguments: [
      (["https_proxy": "a:1"], "https", "a:1 (set in https_proxy)"),
      (["HTTPS_PROXY": "a:1"], "https", "a:1 (set in HTTPS_PROXY)"),
      (["https_proxy": "", "all_proxy": "b:2"], "https", "b:2 (set in all_proxy)"),
      (["https_proxy": "a:1", "all_proxy": "b:2"], "http", "b:2 (set in all_proxy)"),
      (["http_proxy": "http://u:secret@a:1"], "http", "a:1 (set in http_proxy)"),
      (["HTTP_PROXY": "a:1"], "http", nil),
      (["ALL_PROXY": "a\u{1B}:1"], "https", "a:1 (set in ALL_PROXY)"),
      ([:], "https", nil),
    ] as [([String: String], String, String?)])
  func proxies(values: [String: String], scheme: String, expected: String?) {
    let proxy = environment(values).proxy(scheme: scheme, host: "dev.okta.example")
    expectEqual(proxy?.description, expected)
  }

  @Test(
    "no_proxy excludes names with their subdomains, addresses and networks",
    arguments: [
      ("*", "dev.okta.example", true), ("okta.example", "dev.okta.example", true),
      (".okta.example", "dev.okta.example", true), ("OKTA.example.", "dev.okta.example", true),
      ("other, dev.okta.example", "dev.okta.example", true), ("kta.example", "okta.example", false),
      ("127.0.0.0/8", "127.1.2.3", true), ("127.0.0.0/8", "128.0.0.1", false),
      ("0.0.0.0/0", "10.0.0.1", true), ("127.0.0.1", "127.0.0.1", true), ("::1", "[::1]", true),
      ("127.0.0.0/99", "127.0.0.1", false), ("", "127.0.0.1", false),
    ])
  func exclusions(list: String, host: String, isExcluded: Bool) {
    let values = ["all_proxy": "a:1", "no_proxy": list]
    expectEqual((environment(values).proxy(scheme: "https", host: host) == nil), isExcluded)
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

  #if canImport(FoundationNetworking)
    @Test(
      "Nothing is sent while a variable would reveal secrets",
      arguments: ["URLSessionDebugLibcurl", "URLSessionDebug", "SSLKEYLOGFILE", "KRB5_TRACE"],
      ["1", ""])
    func revealing(name: String, value: String) throws {
      let error = try #require(throws: TransportError.self) {
        try request("https://a.example/x?y").checkEnvironment(environment([name: value]))
      }
      #expect(error.code == .requestRefused && !error.mayHaveArrived)
      expectEqual(
        error.message,
        "GET a.example/x was not sent: the environment variable \(name) would reveal passwords "
          + "and tokens. Remove it.")
    }

    @Test("A request for this computer is never sent to a proxy")
    func loopback() throws {
      let values = ["all_proxy": "a:1"]
      let error = try #require(throws: TransportError.self) {
        try request("http://127.0.0.1:9/x").checkEnvironment(environment(values))
      }
      expectEqual(error.code, .requestRefused)
      #expect(error.message.contains("all_proxy") && error.message.contains("no_proxy"))
      let excluded = environment(values.merging(["no_proxy": "127.0.0.1"]) { $1 })
      try expectEqual(request("http://127.0.0.1:9/x").checkEnvironment(excluded), nil)
      #expect(try request("https://a.example/").checkEnvironment(environment(values)) != nil)
    }
  #endif
}
