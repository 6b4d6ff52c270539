import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a request came to.
struct ClassicOutcome {
  enum Result {
    /// The sign-in stands here now.
    case transaction(ClassicTransaction)
    /// The answer was wrong: it is asked for again.
    case refused([IDXMessage.Draft])
    /// The sign-in is over.
    case ended([IDXMessage.Draft], JSONValue)
    /// The request came in a state that is gone: the server is to be asked where it stands.
    case lost
  }

  let result: Result
  let status: Int
  let requestID: String?
}

/// The requests of the classic API and what their responses mean.
///
/// Source: protocol section 8.
struct ClassicExchange: Sendable {
  static let path = "/api/v1/authn"

  let exchange: Exchange

  /// Sends a body and reads what the server says.
  func send(
    _ body: JSONValue, to address: ClassicMove.Address, _ name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> ClassicOutcome {
    let answer = try await post(body, to: address, name, of: configuration)
    let json = try? JSONValue(parsing: answer.response.body)
    if answer.response.status < 300, let transaction = ClassicTransaction(json) {
      return outcome(.transaction(transaction), answer)
    }
    return try refusal(answer, json, name, isBegun: body["stateToken"] != nil)
  }

  /// Gives the sign-in up; whether it was still there does not matter, nor that the reply got lost.
  func cancel(
    _ transaction: ClassicTransaction, of configuration: FlowConfiguration
  ) async throws {
    do {
      _ = try await post(transaction.naming(), to: .path("/cancel"), .cancel, of: configuration)
    } catch let error as FlowError { guard error.mayHaveArrived else { throw error } }
  }

  /// A list of questions is short, and every form after it carries it.
  private static let longestList = 64 * 1024

  /// Gets the questions that may be chosen; nil where they are not to be had, which is no harm.
  func questions(
    at href: String, for name: Remediation.Name, of configuration: FlowConfiguration
  ) async throws -> JSONValue? {
    let body: [UInt8]?
    do { body = try await get(href, for: name, of: configuration) } catch let error as FlowError
      where error.code == .network
    { return nil }
    return body.flatMap { $0.count > Self.longestList ? nil : try? JSONValue(parsing: $0) }
  }

  /// Gets what a link leads to; nil where the server does not give it.
  func get(
    _ href: String, as type: String = "application/json", for name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> [UInt8]? {
    let answer = try await exchange.get(
      try exchange.address(href, for: name.rawValue, within: configuration), ["Accept": type])
    return answer.response.status == 200 ? answer.response.body : nil
  }

  private func post(
    _ body: JSONValue, to address: ClassicMove.Address, _ name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> Exchange.Answer {
    let url =
      switch address {
      case .link(let href): try exchange.address(href, for: name.rawValue, within: configuration)
      case .path(let path): try configuration.endpoint(Self.path + path)
      }
    return try await exchange.post(
      body.bytes, to: url, type: "application/json", step: name.rawValue)
  }

  /// An SMS, a mail or a call that comes too soon after another: that hinders nothing else.
  private static let tooSoon: Set = ["E0000109", "E0000118", "E0000133"]

  /// What a refusal means; throws where it says nothing about the answer.
  ///
  /// Only what has begun can be over or stand elsewhere: a token that was refused before is an answer.
  private func refusal(
    _ answer: Exchange.Answer, _ json: JSONValue?, _ name: Remediation.Name, isBegun: Bool
  ) throws -> ClassicOutcome {
    let status = answer.response.status
    guard (400..<500).contains(status), let code = json?["errorCode"]?.string,
      status != 429 || Self.tooSoon.contains(code)
    else {
      throw exchange.failure(of: answer, step: name.rawValue)
    }
    let causes = (json?["errorCauses"]?.array ?? []).compactMap { Self.words($0) }
    let summary = Self.words(json) ?? "The server refused it (\(code))."
    let key: IDXMessage.Key =
      switch code {
      case "E0000004": .authenticationFailed
      case "E0000068": .passcodeInvalid
      case "E0000011" where isBegun: .sessionExpired
      default: IDXMessage.Key(rawValue: "errors.\(code)")
      }
    let messages = (causes.isEmpty ? [summary] : causes).map {
      IDXMessage.Draft(answer.printable($0), key: key)
    }
    switch code {
    // The token is not good any more; the account was locked by it; nothing that is typed will do.
    case "E0000011" where isBegun, "E0000069", "E0000006":
      return outcome(.ended(messages, json ?? .null), answer)
    case "E0000079" where isBegun: return outcome(.lost, answer)
    default: return outcome(.refused(messages), answer)
    }
  }

  private static func words(_ json: JSONValue?) -> String? {
    json?["errorSummary"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func outcome(
    _ result: ClassicOutcome.Result, _ answer: Exchange.Answer
  ) -> ClassicOutcome {
    ClassicOutcome(
      result: result, status: answer.response.status, requestID: answer.requestID)
  }
}
