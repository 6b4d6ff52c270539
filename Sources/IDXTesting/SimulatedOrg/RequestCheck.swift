import IDXOAuth
import IDXFlow

/// What every request must be, before its body is looked at.
enum RequestCheck {
  /// What is wrong with method and media types; nil where nothing is.
  ///
  /// Stricter than a real server: both header fields are demanded where there is a body, and a
  /// version of the format other than 1.0.0 is refused.
  static func refusal(
    of request: TransportRequest, method: String, sending: [String] = [], accepting: [String] = []
  ) -> OrgReply? {
    guard request.method == method else {
      return .classicError(
        "E0000022", "\(request.method) is not supported here.", status: 405,
        headers: ["Allow": method])
    }
    if !sending.isEmpty {
      guard let type = header("Content-Type", of: request), fits(type, sending) else {
        return .classicError(
          "E0000021", "The body must be \(sending.joined(separator: " or ")).", status: 415)
      }
    }
    if !accepting.isEmpty {
      let offered = header("Accept", of: request)?.split(separator: ",").map(String.init) ?? []
      guard offered.contains(where: { fits($0, accepting + ["*/*"]) }) else {
        return .classicError(
          "E0000021", "The answer is \(accepting.joined(separator: " or ")).", status: 406)
      }
    }
    return nil
  }

  private static func fits(_ text: String, _ types: [String]) -> Bool {
    let parts = text.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
    guard let type = parts.first, types.contains(type) else { return false }
    return parts.dropFirst().allSatisfy { parameter in
      switch parameter.split(separator: "=").first {
      case "okta-version": parameter == "okta-version=1.0.0"
      case "charset": parameter == "charset=utf-8"
      default: true
      }
    }
  }

  static func header(_ name: String, of request: TransportRequest) -> String? {
    request.headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }
}
