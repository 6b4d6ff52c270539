import IDXOAuth
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends the person to a page with a browser, and goes on with what the browser brings back.
///
/// Where the page says no, or what comes back is not of this sign-in, that is shown, and the person
/// chooses: the page once more, or something else.
public struct RedirectHandler: StepHandler {
  /// How often a page may be visited in vain at one step.
  private static let maxAttempts = 100

  private let prompter: any Prompter

  /// A handler that asks through a prompter.
  public init(prompter: any Prompter) { self.prompter = prompter }

  /// Lets the prompter visit the page; declines where it has no browser.
  public func decide(_ step: Step) async throws -> Decision {
    guard let page = step.remediation.page else { return .decline }
    try await prompter.show(.step(step))
    // It has led nowhere, and would again.
    if step.messages.contains(where: \.isError), let other = try await prompter.choice(at: step) {
      return other
    }
    for _ in 0..<Self.maxAttempts {
      switch try await prompter.visit(RedirectPage(page, of: step)) {
      case .returned(let url):
        do { return try step.resumption(by: url) } catch let error as FlowError {
          try await prompter.show(.problem(error.message))
        }
      case .nothing, .answer: return .decline
      case .instead(let form): return step.turning(to: form)
      case .cancel: return .cancel
      }
      if let other = try await prompter.choice(at: step) { return other }
    }
    throw FlowError(
      .limitReached, "The browser came back in vain \(Self.maxAttempts) times in a row.",
      remediation: step.remediation.name)
  }
}
