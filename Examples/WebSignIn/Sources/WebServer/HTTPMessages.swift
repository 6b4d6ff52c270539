import Foundation

/// A request with its whole body.
public struct HTTPRequest: Sendable {
  /// The method in capital letters.
  public var method: String
  /// The path, decoded.
  public let path: String
  /// The path and the query, as received.
  public let target: String
  /// The header fields by their names in lowercase.
  public var headers: [String: String]
  /// The body; empty if there is none.
  public var body: [UInt8]

  /// Creates a request.
  public init(
    method: String = "GET", target: String, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    let encoded = target.prefix { $0 != "?" && $0 != "#" }
    path = encoded.removingPercentEncoding ?? String(encoded)
    self.headers = headers
    self.body = body
  }

  /// The value of a cookie; nil if there is none.
  public func cookie(_ name: String) -> String? {
    let pairs = (headers["cookie"] ?? "").split(separator: ";").map {
      $0.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return pairs.first { $0.first == name && $0.count == 2 }?[1]
  }

  /// The fields of a form in the body, by name; the last value of a name counts.
  public var form: [String: String] {
    let isForm = headers["content-type"]?.lowercased()
      .hasPrefix("application/x-www-form-urlencoded")
    guard isForm == true else { return [:] }
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
    return Dictionary(pairs) { $1 }
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? String(spaced)
  }
}

/// A response with its whole body.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, in order.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of the first header field with a name; nil if there is none.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
