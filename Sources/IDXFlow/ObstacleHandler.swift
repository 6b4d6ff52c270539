import IDX

/// Says why a step cannot be done here, and goes on with what else there is.
///
/// Where one other remediation is left, that is the way on; where there are several, the person picks
/// one.
struct ObstacleHandler: StepHandler {
  let prompter: any Prompter

  func decide(_ step: Step) async throws -> Decision {
    guard let obstacle = Obstacle(step) else { return .decline }
    try await prompter.show(.step(step))
    try await prompter.show(.obstacle(obstacle))
    let forms = step.alternatives
    let remediations = forms.filter(step.response.remediations.contains)
    if remediations.count == 1, !remediations[0].form.inputs().isEmpty {
      return .choose(remediations[0])
    }
    guard !forms.isEmpty else {
      throw FlowError(
        .noHandler, "\(obstacle) The server offers nothing else.",
        remediation: step.remediation.name, status: step.state.status,
        requestID: step.state.requestID)
    }
    return try await prompter.choose(forms, at: step).decision ?? .cancel
  }
}
