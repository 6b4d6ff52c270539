import Foundation
import IDXBase
import IDXOAuth

/// How a server of an org checks proofs of DPoP: its nonces, and the proofs that it has seen.
///
/// Source: RFC 9449, sections 4.3, 8 and 11.1.
struct DPoPCheck: Sendable, Codable {
  private struct Nonce: Codable {
    let value: String
    let issuedAt: Date
  }

  /// Why a proof is refused.
  enum Problem: Error, Hashable {
    case invalid(String)
    /// The proof is valid, but its nonce is missing, unknown or expired.
    case nonce
  }

  /// How far the time of a proof may be from the server's, in seconds.
  private static let maximumAge: TimeInterval = 300

  private var nonces: [Nonce] = []
  /// The IDs of proofs, and when a proof with this ID would be too old in any case.
  private var seen: [String: Date] = [:]

  /// The nonce that proofs should have; a new one after half of its lifetime.
  mutating func nonce(
    at now: Date, lifetime: TimeInterval, _ random: inout OrgRandom
  ) -> String {
    nonces.removeAll { now >= $0.issuedAt.addingTimeInterval(lifetime) }
    if let newest = nonces.last, now < newest.issuedAt.addingTimeInterval(lifetime / 2) {
      return newest.value
    }
    let value = random.handle("", bytes: 18)
    nonces.append(Nonce(value: value, issuedAt: now))
    return value
  }

  /// Checks the proof of a request and returns the thumbprint of its key.
  ///
  /// `lifetime` is that of nonces; nil if none is needed. `token` is the access token in the request.
  mutating func thumbprint(
    of proof: String, for request: TransportRequest, token: String?, at now: Date,
    nonceLifetime lifetime: TimeInterval?
  ) throws(Problem) -> String {
    guard let proof = KeyedToken(proof, type: "dpop+jwt") else {
      throw .invalid("The DPoP proof is not a JWT with the type dpop+jwt, signed with ES256.")
    }
    try require(
      proof.isSignatureValid, else: Problem.invalid("The signature of the proof is wrong."))
    try require(
      proof["htm"]?.string == request.method,
      else: Problem.invalid("The htm of the proof is not the method."))
    try require(
      proof["htu"]?.string.flatMap(URL.init).map(Self.target) == Self.target(request.url),
      else: Problem.invalid("The htu of the proof is not the address."))
    let time = proof["iat"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    try require(
      time.map { abs($0.timeIntervalSince(now)) <= Self.maximumAge } == true,
      else: Problem.invalid("The iat of the proof is too far from the time of the server."))
    try require(
      proof["ath"]?.string == token.map(Self.hash),
      else: Problem.invalid("The ath of the proof is not the hash of the access token."))
    guard let id = proof["jti"]?.string, !id.isEmpty else {
      throw .invalid("The proof has no jti.")
    }
    if let lifetime {
      let isKnown = nonces.contains {
        $0.value == proof["nonce"]?.string && now < $0.issuedAt.addingTimeInterval(lifetime)
      }
      try require(isKnown, else: Problem.nonce)
    }
    seen = seen.filter { now < $0.value }
    try require(seen[id] == nil, else: Problem.invalid("The jti of the proof was used before."))
    seen[id] = now.addingTimeInterval(2 * Self.maximumAge)
    return proof.thumbprint
  }

  /// The address without query and fragment, normalized (RFC 3986, sections 6.2.2 and 6.2.3).
  private static func target(_ url: URL) -> String {
    let path = url.standardized.path(percentEncoded: true)
    return Origin(url).description + (path.isEmpty ? "/" : normalized(path))
  }

  /// A path in which unreserved characters are not encoded, and other encodings are in uppercase.
  private static func normalized(_ path: String) -> String {
    let parts = path.split(separator: "%", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
      let digits = part.prefix(2)
      // A sign is a digit for the initializer of an integer.
      let byte = digits.allSatisfy(\.isHexDigit) ? UInt8(digits, radix: 16) : nil
      let decoded = byte.flatMap { FormURLEncoding.isUnreserved($0) ? UnicodeScalar($0) : nil }
      result += decoded.map { String($0) } ?? "%\(digits.uppercased())"
      result += part.dropFirst(2)
    }
  }

  private static func hash(_ token: String) -> String {
    Base64URL.encode(HashFunction.sha256.hash(Array(token.utf8)))
  }
}

// MARK: - Requests

extension TokenService {
  /// The thumbprint of the key that a request for tokens has proved; nil if it has none and needs none.
  mutating func provedKey(
    of request: TransportRequest, _ random: inout OrgRandom
  ) throws(Refusal) -> String? {
    guard let proof = request.field("DPoP") else {
      try require(
        !settings.policy.requiresDPoP,
        else: .oauth("invalid_dpop_proof", "The DPoP proof JWT header is missing."))
      return nil
    }
    do throws(DPoPCheck.Problem) {
      return try thumbprint(of: proof, for: request, token: nil, at: settings.origin)
    } catch .invalid(let reason) {
      throw .oauth("invalid_dpop_proof", reason)
    } catch {
      throw .oauth("use_dpop_nonce", "Authorization server requires nonce in DPoP proof.")
        .with(nonce: nonce(at: settings.origin, &random))
    }
  }

  private mutating func thumbprint(
    of proof: String, for request: TransportRequest, token: String?, at origin: String
  ) throws(DPoPCheck.Problem) -> String {
    try proofs[origin, default: DPoPCheck()].thumbprint(
      of: proof, for: request, token: token, at: now, nonceLifetime: rules.nonceLifetime)
  }

  private mutating func nonce(at origin: String, _ random: inout OrgRandom) -> String {
    proofs[origin, default: DPoPCheck()].nonce(
      at: now, lifetime: rules.nonceLifetime ?? 0, &random)
  }

  /// The access token of a request to a resource, after its proof was checked if it is bound to a key.
  ///
  /// `origin` is the server of the resource, which has its own nonces (RFC 9449, sections 7 and 9).
  mutating func authorized(
    _ request: TransportRequest, at origin: String, _ random: inout OrgRandom
  ) throws(Refusal) -> (access: IssuedTokens.Access, family: IssuedTokens.Family) {
    let words = request.field("Authorization")?.split(separator: " ") ?? []
    let scheme = words.first?.lowercased() ?? ""
    try require(
      words.count == 2 && ["bearer", "dpop"].contains(scheme),
      else: .challenge("Bearer realm=\"\(settings.issuer)\""))
    let token = String(words[1])
    let isProved = scheme == "dpop"
    let name = isProved ? "DPoP" : "Bearer"
    guard let (access, family) = issued.access(token, at: now),
      (family.keyThumbprint != nil) == isProved
    else {
      throw .challenge(
        "\(name) error=\"invalid_token\", "
          + "error_description=\"The token is unknown, expired, revoked or of the other type.\"")
    }
    guard isProved else { return (access, family) }
    func refusal(_ error: String, _ description: String) -> Refusal {
      .challenge(
        "DPoP error=\"\(error)\", error_description=\"\(description)\", algs=\"ES256\"")
    }
    do throws(DPoPCheck.Problem) {
      let thumbprint = try thumbprint(
        of: request.field("DPoP") ?? "", for: request, token: token, at: origin)
      guard thumbprint == family.keyThumbprint else {
        throw DPoPCheck.Problem.invalid("The token is bound to another key.")
      }
    } catch .invalid(let reason) {
      throw refusal("invalid_dpop_proof", reason)
    } catch {
      throw refusal("use_dpop_nonce", "Resource server requires nonce in DPoP proof.")
        .with(nonce: nonce(at: origin, &random))
    }
    return (access, family)
  }
}

extension Refusal {
  /// The refusal with a nonce for the next proof (RFC 9449, section 8).
  fileprivate func with(nonce: String) -> Refusal {
    var refusal = self
    refusal.response.headers["DPoP-Nonce"] = nonce
    return refusal
  }
}
