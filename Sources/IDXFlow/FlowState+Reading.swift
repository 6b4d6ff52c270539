import IDX

// What a response means for the sign-in.
extension FlowState {
  /// Whether the server refused what was sent, or says that something failed.
  ///
  /// During a grace period its errors only explain what there is to mend.
  package var isRefusal: Bool {
    let explains = response.remediations.first?.name == .deviceAssuranceGracePeriod
    return status >= 400 || (!explains && response.everyMessage.contains(where: \.isError))
  }

  /// Whether the reply to a poll changes what the person sees: another step, another number to pick,
  /// a message that was not there before.
  func isNews(after earlier: FlowState) -> Bool {
    let (old, new) = (earlier.response, response)
    let (before, after) = (old.currentAuthenticator, new.currentAuthenticator)
    func words(_ message: Message) -> [String?] { [message.key?.rawValue, message.text] }
    let said = Set(old.everyMessage.map(words))
    return isSignedIn || old.remediations.map(\.name) != new.remediations.map(\.name)
      || before?.id != after?.id || before?.key != after?.key
      || before?.raw["contextualData"] != after?.raw["contextualData"]
      || new.everyMessage.contains { !said.contains(words($0)) }
  }
}
