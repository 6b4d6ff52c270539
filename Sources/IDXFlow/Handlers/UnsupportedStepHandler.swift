import IDXOAuth
import IDX

/// Says why a step cannot be done here, and goes on with what else there is.
///
/// A search for something on this device is given up unasked, since nobody here can be found. Where
/// one other remediation is left, that is the way on; where there are several, the person picks one.
struct UnsupportedStepHandler: StepHandler {
  let prompter: any Prompter

  func decide(_ step: Step) async throws -> Decision {
    guard let unsupportedStep = UnsupportedStep(step) else { return .decline }
    try await prompter.show(.step(step))
    try await prompter.show(.unsupported(unsupportedStep))
    let forms = step.alternatives
    if poll(for: step) != nil {
      return step.decision(on: try await prompter.wait(at: step)) ?? .poll()
    }
    if unsupportedStep.isSearch, let form = forms.first(where: \.endsSearch) {
      return .submit([:], to: form)
    }
    let remediations = forms.filter(step.response.remediations.contains)
    if remediations.count == 1, !remediations[0].form.inputs().isEmpty {
      return .choose(remediations[0])
    }
    guard !forms.isEmpty else {
      throw FlowError(
        .noHandler, "\(unsupportedStep) The server offers nothing else.",
        remediation: step.remediation.name, status: step.state.status,
        requestID: step.state.requestID)
    }
    return step.decision(on: try await prompter.choose(forms, at: step)) ?? .cancel
  }

  /// A search that cannot be given up, as long as it may be waited for: the server ends it in time.
  func poll(for step: Step) -> Remediation? {
    let isSearch = UnsupportedStep(step)?.isSearch == true && step.remediation.isPolled
    guard isSearch, !step.isOverdue, !step.alternatives.contains(where: \.endsSearch) else {
      return nil
    }
    return step.remediation
  }
}

extension UnsupportedStep {
  /// Whether the server looks for a program here, without anybody having asked for it.
  fileprivate var isSearch: Bool { kind == .deviceProbe || kind == .appleSSOExtension }
}

extension Remediation {
  /// Whether it tells the server to look no longer, and asks nothing.
  fileprivate var endsSearch: Bool {
    [.cancelPolling, .cancelPollingTransaction, .cancelTransaction].contains(name)
      && !form.hasGaps
  }
}
