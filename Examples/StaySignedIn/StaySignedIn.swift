// What an app does with a credential: save it, use it, refresh it, and sign out.
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXStorage
import IDXSimulatedOrg

@main
struct StaySignedIn {
  static func main() async throws {
    // An org in memory stands in for a real one. Its clock is advanced below.
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@example.com", password: "Analytical-1843")],
      policy: .passwordOnly)
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: ["openid", "profile", "offline_access"])

    // A program would use CredentialStores.system(environment:), which is permanent.
    let store = MemoryCredentialStore()
    if await store.currentID() == nil {
      let credential = try await signIn(to: configuration, by: org.client)
      await store.save(credential)
      try await store.makeCurrent(credential.id)
    }

    // At launch: who is signed in, and is the credential still valid?
    guard let id = await store.currentID() else { return }
    let session = CredentialSession(id, store: store, client: org.tokenClient)
    print("Signed in as \(try await session.credential().username ?? "an unnamed user")")

    let before = try await session.valid().tokens.accessToken
    org.advance(by: 3600)
    let after = try await session.valid().tokens.accessToken
    print(before == after ? "The same token" : "An hour later: a new token, without a sign-in")
    print("The server says: \(try await session.userInfo().name ?? "nothing")")

    // Requests to this API carry the token, and a proof if the org binds tokens to a key.
    let api = SimulatedAPI(org, origin: "https://api.example.com")
    let transport = AuthenticatedTransport(session, over: api, origins: [api.origin])
    let orders = try await transport.send(
      TransportRequest(url: api.origin.appending(path: "orders")))
    print("The API responds: HTTP status \(orders.status)")

    let result = try await session.signOut()
    print("Signed out: \(result.revoked.count) tokens revoked")
    do { _ = try await session.valid() } catch let error as FlowError
      where error.code == .signInNeeded
    {
      print("Afterwards: \(error)")
    }
  }

  private static func signIn(
    to configuration: FlowConfiguration, by client: IDXClient
  ) async throws -> Credential {
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada@example.com"], from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "Analytical-1843"], from: state)
    return try await client.redeem(state)
  }
}
