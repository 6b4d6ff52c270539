import Foundation
import IDXBase
import IDXOAuth

/// The console of AWS, to which keys of a role can sign in.
///
/// Source: IAM User Guide, “Enable custom identity broker access to the AWS console”.
struct AWSConsole: Sendable {
  static let endpoint = OptionSpec(
    "--federation", value: "URL",
    "with --console: ask at this address")

  private let keys: AWSKeys
  private let transport: any Transport
  private let federation: URL
  private let home: String

  /// Throws if the partition of the role has no console that is known here.
  init(_ call: CommandCall, _ keys: AWSKeys, transport: any Transport) throws {
    let domains = [
      "aws": ("signin.aws.amazon.com", "console.aws.amazon.com"),
      "aws-cn": ("signin.amazonaws.cn", "console.amazonaws.cn"),
      "aws-us-gov": ("signin.amazonaws-us-gov.com", "console.amazonaws-us-gov.com"),
    ]
    let partition = AWSRole(keys.request.roleARN)?.partition ?? ""
    guard let (signIn, console) = domains[partition] else {
      throw CommandFailure(
        .usage, "The console of AWS in the partition \(partition.sanitized) is not known here.")
    }
    let text = call[Self.endpoint] ?? "https://\(signIn)/federation"
    guard let url = URL(string: text, encodingInvalidCharacters: false), url.query == nil,
      url.user == nil, Origin(url).isSecure
    else {
      throw CommandFailure(
        .usage,
        "\(Self.endpoint.name) must be an address that is https, not \(text.sanitized).")
    }
    (self.keys, self.transport, federation) = (keys, transport, url)
    home = "https://\(console)/"
  }

  /// The address that signs in to the console; it works for 15 minutes.
  func address() async throws -> URL {
    let session: JSONValue = [
      "sessionId": .string(keys.accessKeyID),
      "sessionKey": .string(keys.secretAccessKey.revealed),
      "sessionToken": .string(keys.sessionToken.revealed),
    ]
    let request = TransportRequest(
      method: "GET",
      url: try url([("Action", "getSigninToken"), ("Session", session.visibleText)]),
      headers: ["Accept": "application/json"], isRepeatable: true)
    let response: TransportResponse
    do { response = try await transport.send(request) } catch let error as TransportError {
      throw CommandFailure(
        .network, "The console of AWS cannot be asked: \(error.message.sanitized)",
        code: "aws_network", remedy: "Check the network connection and the proxy.")
    }
    let token = (try? JSONValue(parsing: response.body))?["SigninToken"]?.string ?? ""
    guard response.status == 200, !token.isEmpty, token.utf8.count <= 16 << 10 else {
      throw CommandFailure(
        response.status >= 500 ? .network : .refused,
        "AWS gave no access to its console: HTTP status \(response.status) from \("\(Origin(federation))".sanitized).",
        code: "aws_console", remedy: "Get new keys, and try again.")
    }
    return try url([
      ("Action", "login"), ("Issuer", "idx-flow"), ("Destination", home), ("SigninToken", token),
    ])
  }

  private func url(_ parameters: [(String, String)]) throws -> URL {
    guard let url = URL(string: "\(federation)?\(FormURLEncoding.encode(parameters))") else {
      throw CommandFailure(.unexpected, "The address of the console cannot be written.")
    }
    return url
  }
}
