import Foundation
import IDXBase

/// An address of the org: what a request to it must have, and how the org responds.
///
/// To add an address, add a row to one of the lists in this folder; a new list also to ``all``.
struct OrgEndpoint: Sendable {
  typealias Responder = @Sendable (OrgRequest, inout OrgState) throws(Refusal) -> OrgResponse

  /// The address before the path.
  enum Base: Sendable {
    case origin, issuer
    /// The base of OAuth's endpoints, such as `{issuer}/v1`.
    case oauth

    fileprivate func address(_ settings: OrgSettings) -> String {
      switch self {
      case .origin: settings.origin
      case .issuer: settings.issuer
      case .oauth: settings.oauthBase
      }
    }
  }

  let methods: [String]
  let base: Base
  /// The rest of the address; a star stands for one part, and two stars at the end for any number of parts.
  let path: String
  let input: OrgRequest.Input
  /// The types of the response, and of a JSON body; empty if any is accepted.
  let mediaTypes: [String]
  let respond: Responder

  init(
    _ methods: String..., at base: Base, _ path: String, _ input: OrgRequest.Input = .nothing,
    as mediaTypes: [String] = [], respond: @escaping Responder
  ) {
    self.methods = methods
    self.base = base
    self.path = path
    self.input = input
    self.mediaTypes = mediaTypes
    self.respond = respond
  }

  static let json = ["application/json"]
  private static let all =
    oauth + tokens + authorize + hosted + sessions + directAuth + oktaVerify + idx + classic

  fileprivate static func at(_ address: String, _ settings: OrgSettings) -> OrgEndpoint? {
    for base in [Base.oauth, .issuer, .origin] {
      let start = base.address(settings)
      guard address.hasPrefix(start) else { continue }
      let path = address.dropFirst(start.count)
      if let found = all.first(where: { $0.base == base && $0.matches(path) }) { return found }
    }
    return nil
  }

  private func matches(_ address: Substring) -> Bool {
    guard path.contains("*") else { return address == path }
    if path.hasSuffix("**") { return address.hasPrefix(path.dropLast(2)) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let others = address.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == others.count
      && zip(parts, others).allSatisfy { $0 == "*" ? !$1.isEmpty && $1 != "*" : $0 == $1 }
  }
}

// MARK: - Responding

extension OrgState {
  /// Responds to one request; with some faults, the org does not process it.
  mutating func respond(to unread: OrgRequest, with fault: Fault?) -> TransportResponse {
    var request = unread
    if let preflight = requestRules.preflight(request.http) { return preflight }
    // Clients fetch keys at any time, so these requests must not use the random numbers of a seed.
    let isForKeys = request.address == settings.keysAddress
    let requestID = isForKeys ? "keys" : random.handle("", bytes: 15)
    var draft: OrgResponse
    do throws(Refusal) {
      if let refusal = refusal(of: request, with: fault) { throw refusal }
      if let missing = requestRules.missing(in: request, of: settings) {
        throw .idx([missing], status: 400)
      }
      let isOfIdentityEngine = request.address.hasPrefix(settings.idx(""))
      try require(!isOfIdentityEngine || requestRules.pipeline == .idx, else: .notFound)
      guard let endpoint = OrgEndpoint.at(request.address, settings) else { throw .notFound }
      try request.read(
        endpoint.input, by: endpoint.methods, as: endpoint.mediaTypes, settings, requestRules,
        at: now)
      draft = try endpoint.respond(request, &self)
    } catch { draft = request.isByBrowser ? error.page : error.response }
    draft.headers.merge(rateLimit) { own, _ in own }
    draft.headers.merge(requestRules.crossOriginFields(for: request.http)) { own, _ in own }
    if draft.mediaType == OrgResponse.ionMediaType {
      if !settings.shape.isEmpty { draft.body = settings.shape.shaping(draft.body) }
      draft.body = request.sender.words.translated(draft.body)
    }
    let hasDevice = draft.cookies.contains { $0.hasPrefix("DT=") }
    if !isForKeys, !hasDevice, request.http.field("Cookie")?.contains("DT=") != true {
      draft.cookies.append(settings.deviceCookie(OrgSettings.id("DT", requestID)))
    }
    var response = draft.http(requestID: requestID)
    response.headers["Date"] = now.httpDate
    return response
  }

  /// The header fields about a limit that no client reaches: only ``Fault/rateLimited(seconds:)`` refuses requests.
  private var rateLimit: [String: String] {
    let minute = (now.timeIntervalSince1970 / 60).rounded(.down)
    return [
      "X-Rate-Limit-Limit": "600", "X-Rate-Limit-Remaining": "599",
      "X-Rate-Limit-Reset": String(Int((minute + 1) * 60)),
    ]
  }

  private func refusal(of request: OrgRequest, with fault: Fault?) -> Refusal? {
    switch fault {
    case .serverError: return Refusal(response: .empty(status: 500))
    case .rateLimited(let seconds):
      let reset = Int(now.timeIntervalSince1970.rounded(.up)) + seconds
      return .api(
        "E0000047", "There were too many requests.", status: 429,
        headers: [
          "X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "0",
          "X-Rate-Limit-Reset": String(reset),
        ])
    case .refused(let code): return .oauth(code, "The test asked for this error.")
    case .sessionExpired:
      return request.address.hasPrefix(settings.classic("")) ? .unknownToken : .expired
    case .webPage(let status):
      return Refusal(response: .page(PageDocument.notice("Access denied"), status: status))
    case .noBody(let status): return Refusal(response: .empty(status: status))
    case .textOnly: return .idx([.init("The sign-in failed.")], status: 401)
    case .held, .responseLost, .unreachable, nil: return nil
    }
  }
}
