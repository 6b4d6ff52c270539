import IDXFlow

extension Step {
  var timeLeft: Duration? { nil }
  var isOverdue: Bool { false }
}
