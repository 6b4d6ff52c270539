import Expectations
import Foundation
import IDX
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import IDXRecording
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Sign-ins on a page of the org are recorded and played again.
struct BrowserReplayTests {
  private let org = SimulatedOrg(.demo, seed: 1, clock: { TestSignIn.now })

  /// Signs in with a browser that `visit` plays.
  private func signIn(
    _ client: BrowserClient, _ configuration: FlowConfiguration, visit: (URL) async -> URL?
  ) async throws -> Credential {
    let state = try await client.start(configuration)
    let page = try require(state.response[.signInPage]?.page)
    let url = try await require(visit(page))
    return try await client.redeem(
      client.resume(RedirectReturn(url, of: state), from: state))
  }

  @Test("A page in a browser, also with pushed parameters", arguments: [true, false])
  func browser(isPushed: Bool) async throws {
    await org.changeRequests { $0.requiresPushedRequests = isPushed }
    let recorder = RecordingTransport(org, now: { [org] in org.now })
    _ = try await signIn(
      BrowserClient(
        transport: recorder, tokens: TokenClient(transport: recorder, now: { org.now })),
      org.configuration, visit: { await org.visit($0) })
    let recording = recorder.recording()
    expectEmpty(recorder.newNames())
    let replay = try ReplayTransport(recording)
    expectEqual(replay.signInProtocol, .browser)
    _ = try await signIn(
      BrowserClient(transport: replay, tokens: replay.tokenClient), replay.configuration,
      visit: { await replay.visit($0) })
    try await replay.finish()
  }

  @Test("A code for another device, whose recording has neither code")
  func device() async throws {
    let recorder = RecordingTransport(org, now: { [org] in org.now })
    let tokens = TokenClient(transport: recorder, now: { org.now })
    let client = DeviceCodeClient(transport: recorder, tokens: tokens)
    var state = try await client.start(org.configuration)
    let code = try require(state.response.userCode?.text)
    for isEntered in [false, true] {
      if isEntered { await org.enter(userCode: code) }
      org.advance(by: 5)
      state = try await client.poll(state)
    }
    _ = try await client.redeem(state)
    let recording = recorder.recording()
    expectEmpty(recorder.newNames())
    let text = String(decoding: recording.json.bytes, as: UTF8.self)
    expect(!text.contains(code) && !text.contains("dc_"))
    let replay = try ReplayTransport(recording)
    expectEqual(replay.signInProtocol, .device)
    let again = DeviceCodeClient(transport: replay, tokens: replay.tokenClient)
    var played = try await again.start(replay.configuration)
    while !played.isSignedIn { played = try await again.poll(played) }
    _ = try await again.redeem(played)
    try await replay.finish()
  }
}
