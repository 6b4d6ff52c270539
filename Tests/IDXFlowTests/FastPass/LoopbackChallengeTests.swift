import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import SignInSupport
import Testing

/// Which challenges are passed to Okta Verify.
struct LoopbackChallengeTests {
  /// A challenge of the org of the hand-written responses; `claims` and `members` replace the usual ones.
  private static func challenge(
    _ members: JSONValue = [:], claims: JSONValue = [:]
  ) throws -> DeviceChallenge {
    func merged(_ object: JSONValue, _ other: JSONValue) -> JSONValue {
      (other.object?.members ?? []).reduce(object) { $0.adding($1.name, $1.value) }
    }
    let payload = merged(
      ["iss": .string(Wire.origin), "aud": .string(Wire.origin)], claims)
    let header: JSONValue = ["alg": "RS256"]
    let request = [header.bytes, payload.bytes, [1, 2, 3]].map { Base64URL.encode($0) }
    let challenge: JSONValue = merged(
      [
        "challengeMethod": "LOOPBACK", "domain": "http://localhost", "ports": ["6511"],
        "challengeRequest": .string(request.joined(separator: ".")),
      ], members)
    let document = Wire.document(challenge: challenge)
    return try require(IDXResponse(parsing: document.bytes).deviceChallenge)
  }

  private static func loopback(
    _ members: JSONValue = [:], claims: JSONValue = [:]
  ) throws -> LoopbackChallenge {
    let issuer = try Wire.configuration().issuer
    return try LoopbackChallenge(challenge(members, claims: claims), issuer: issuer)
  }

  @Test("Addresses of this computer, and of a name with https, which is tried first")
  func addresses() throws {
    let challenge = try Self.loopback([
      "httpsDomain": "https://abc.local-verify.example", "ports": ["6511", "6512"],
      "probeTimeoutMillis": 1_000_000,
    ])
    expectEqual(
      challenge.addresses.map(\.absoluteString),
      [
        "https://abc.local-verify.example:6511", "https://abc.local-verify.example:6512",
        "http://localhost:6511", "http://localhost:6512",
      ])
    // A web page cannot check where a name leads.
    expectEqual(
      challenge.localAddresses.map(\.absoluteString),
      ["http://localhost:6511", "http://localhost:6512"])
    expectEqual(challenge.origin, Wire.origin)
    expectEqual(challenge.probeTimeout, .seconds(1))
    for domain in ["http://127.0.0.1", "http://[::1]", "http://localhost/"] {
      try expectEqual(Self.loopback(["domain": .string(domain)]).addresses.count, 1)
    }
  }

  @Test(
    "Other hosts, addresses with more than a host, system ports, and none or many ports are refused",
    .promise("fastpass-local"),
    arguments: [
      ["ports": ["80"]], ["ports": []], ["ports": ["6511", "22"]], ["ports": ["0"]],
      ["ports": ["-1"]], ["ports": ["65536"]],
      ["ports": .array((2000..<3000).map { .number(.init($0)) })],
    ]
      + [
        "http://printer.local", "http://192.168.1.1", "http://127.0.0.2", "http://0.0.0.0",
        "http://localhost.evil.example", "http://localhost:80", "http://localhost/admin",
        "http://user@localhost", "http://localhost?x", "http://localhost#x", "https://10.0.0.1",
        "https://127.1", "https://0x7f000001", "https://a.0x7f", "https://\u{212A}ocalhost",
        "https://[fe80::1]", "https://2130706433", "ftp://localhost",
        "localhost", "", "http://", "http://loc\u{0}alhost", "https://exa mple",
        "file:///etc/passwd",
        "http://127.0.0.1%00.evil.example", "https://a.example%2f.b", "http://①27.0.0.1",
      ].flatMap {
        [["domain": .string($0)], ["domain": "http://localhost", "httpsDomain": .string($0)]]
      } as [JSONValue])
  func otherHosts(members: JSONValue) throws {
    let error = #expect(throws: FlowError.self) { try Self.loopback(members) }
    expectEqual(error?.code, .unsafeChallenge)
  }

  @Test(
    "A request of another org, for another org, or that is no JWT is refused",
    .promise("fastpass-org"),
    arguments: [
      ["iss": "https://evil.example"], ["aud": "https://evil.example"],
      ["iss": "http://id.shop.example"], ["iss": "https://id.shop.example:8443"],
      ["iss": "https://id.shop.example.evil.example"], ["iss": .null], ["aud": .null],
      ["aud": ["https://evil.example", "okta.not-a-uuid"]],
      // Other readers find another host in these.
      ["iss": "https://evil.example\\@id.shop.example"], ["iss": "https://evil@id.shop.example"],
      ["iss": "https://id.shop.example@evil.example"], ["iss": "https://id.shop.example#@evil"],
      ["iss": "https://ID.shop.example"], ["iss": "https://id.shop.example:443"],
      ["iss": "https://id.shop.e\u{FF58}ample"], ["iss": "https://id.shop.example."],
    ] as [JSONValue])
  func otherOrg(claims: JSONValue) throws {
    let error = #expect(throws: FlowError.self) { try Self.loopback(claims: claims) }
    expectEqual(error?.code, .unsafeChallenge)
  }

  @Test(
    "A request for Okta Verify or for several is passed on; a missing or damaged one is refused"
  )
  func requests() throws {
    for audience: JSONValue in [
      "okta.63c081db-1f13-5084-882f-e79e1e5e2da7", [.string(Wire.origin), "other"],
    ] {
      #expect(throws: Never.self) { try Self.loopback(claims: ["aud": audience]) }
    }

    for text in ["", "a.b.c", "no", String(repeating: "a", count: 1 << 20)] {
      let error = #expect(throws: FlowError.self) {
        try Self.loopback(["challengeRequest": .string(text)])
      }
      expectEqual(error?.code, .unsafeChallenge)
    }
  }

  @Test("The description of a challenge does not show the request")
  func description() throws {
    let challenge = try Self.loopback()
    expect(!printedTexts(of: challenge).contains(challenge.request.revealed))
  }

  @Test(
    "Only links of Okta Verify with a request of the org, and https links of the org, are opened",
    .promise("fastpass-org"))
  func links() throws {
    let issuer = try Wire.configuration().issuer
    let request = try Self.loopback().request.revealed
    func link(_ href: String) throws -> URL? {
      try Self.challenge(["challengeMethod": "CUSTOM_URI", "href": .string(href)])
        .safeLink(issuer: issuer)
    }
    let scheme = "com-okta-authenticator:/deviceChallenge?challengeRequest="
    // Only what was checked is passed on.
    for prefix in [scheme, "com-okta-authenticator://evil.example/enroll?challengeRequest="] {
      for suffix in ["", "#?challengeRequest=x.y.z"] {
        try expectEqual(link(prefix + request + suffix)?.absoluteString, scheme + request)
      }
    }
    try expectEqual(link("\(Wire.origin)/verify")?.host, "id.shop.example")
    for href in [
      "okta-verify.html", "https://evil.example/", "http://id.shop.example/", "javascript:alert(1)",
      "file:///bin/sh", "com-okta-authenticator:/deviceChallenge", scheme + "abc", "",
      "https://id.shop.example@evil.example/", "https://user@id.shop.example/",
      "\(scheme)\(request)&challengeRequest=x.y.z", "\(scheme)\(request)&%63hallengeRequest=x",
      "\(scheme)\(request)&enrollUrl=https://evil.example",
      "com-okta-authenticator:/deviceChallenge?challengerequest=\(request)",
      "com-okta-authenticator-evil:/x?challengeRequest=" + request,
      "\(Wire.origin)/" + String(repeating: "a", count: 9000),
    ] {
      let error = #expect(throws: FlowError.self, "\(href.prefix(60))") { _ = try link(href) }
      expectEqual(error?.code, .unsafeChallenge)
    }
  }
}
