import Foundation
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXNetwork
import IDXSimulatedOrg
import SignInSite
import WebServer

/// A web site on which people sign in.
@main
struct WebSignIn {
  static func main() async throws {
    let options: SiteOptions
    do { options = try SiteOptions(Array(CommandLine.arguments.dropFirst())) } catch {
      print(error)
      exit(2)
    }
    do { try await run(options) } catch {
      print(error)
      exit(1)
    }
  }

  private static func run(_ options: SiteOptions) async throws {
    let store: any OpenSignInStore =
      options.redis.map { RedisOpenSignInStore(host: $0.host, port: $0.port) }
      ?? MemoryOpenSignInStore()
    let handler: HTTPServer.Handler
    var oktaVerify: HTTPServer?
    if let scenario = options.demo {
      let demo = DemoOrg(
        scenario, origin: "http://localhost:\(options.port)",
        redirectURIs: [options.redirectURI],
        onMessage: { say("\($0.method) to \($0.recipient): \($0.text)") })
      let site = SignInSite(
        try demo.configuration, store: store, proxyField: options.proxyField, style: options.style,
        log: say
      ) { language in
        demo.client(for: options.signInProtocol, language: language)
      }
      if let port = options.oktaVerify {
        let computer = demo.oktaVerify(at: Int(port))
        oktaVerify = try HTTPServer(port: port) { await DemoOrg.respond(to: $0, as: computer) }
      }
      for hint in demo.hints { say(hint) }
      say("The phone is at http://localhost:\(options.port)/phone")
      handler = { site.has($0.path) ? await site.respond(to: $0) : await demo.respond(to: $0) }
    } else {
      let configuration = try FlowConfiguration(
        issuer: options.issuer ?? "", clientID: options.clientID ?? "",
        redirectURI: options.redirectURI)
      // One transport serves all people.
      let transport = RetryingTransport(HTTPTransport())
      let site = SignInSite(
        configuration, store: store, proxyField: options.proxyField, style: options.style,
        log: say
      ) { language in
        client(options.signInProtocol, LanguageTransport(transport, language: language))
      }
      handler = { await site.respond(to: $0) }
    }
    let signals = EndSignals()
    let server = try HTTPServer(port: options.port, handler: handler)
    say("Open http://localhost:\(server.port)/")
    await signals.wait()
    await server.stop()
    await oktaVerify?.stop()
  }

  private static func client(
    _ signInProtocol: SignInProtocol, _ transport: any Transport
  ) -> any FlowClient {
    switch signInProtocol {
    case .direct: DirectAuthClient(transport: transport)
    case .classic: ClassicAuthClient(transport: transport)
    default: IDXClient(transport: transport)
    }
  }

  @Sendable private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
