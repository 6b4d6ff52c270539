import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opens a web page for the person and continues with what the browser brings back.
///
/// If the page refuses, or the browser brings back something else, the person sees why and chooses: the
/// page again, or something else.
public struct RedirectHandler: StepHandler {
  private static let maxAttempts = 100

  private let prompter: any Prompter

  /// Creates a handler that asks through a prompter.
  public init(prompter: any Prompter) { self.prompter = prompter }

  /// Lets the prompter open the page; declines if the prompter has no browser.
  public func decide(_ step: Step) async throws -> Decision {
    guard let page = step.remediation.page else { return .decline }
    try await prompter.show(.step(step))
    // The page has failed before, so do not open it again without asking.
    if step.messages.contains(where: \.isError), let other = try await prompter.choice(at: step) {
      return other
    }
    for _ in 0..<Self.maxAttempts {
      switch try await prompter.open(RedirectPage(page, of: step)) {
      case .returned(let url):
        do { return try step.decision(onReturnTo: url) } catch let error as FlowError {
          try await prompter.show(.problem(error.message))
        }
      case .nothing, .answer: return .decline
      case .instead(let form): return step.decision(toOpen: form)
      case .cancel: return .cancel
      }
      if let other = try await prompter.choice(at: step) { return other }
    }
    throw FlowError(
      .limitReached, "The web page failed \(Self.maxAttempts) times in a row.",
      remediation: step.remediation.name)
  }
}
