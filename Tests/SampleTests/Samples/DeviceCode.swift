import IDXBrowserAuth
import IDXFlow

func signInWithDeviceCode(
  to configuration: FlowConfiguration, over transport: any Transport,
  show: (UserCode) async -> Void
) async throws -> FlowState {
  let client = DeviceCodeClient(transport: transport)
  var state = try await client.start(configuration)
  if let code = state.response.userCode { await show(code) }
  while !state.isSignedIn, !state.isAtEnd, let form = state.response[.userCodePoll] {
    try await Task.sleep(for: form.pollInterval)
    state = try await client.poll(state)
  }
  return state
}
