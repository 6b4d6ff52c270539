import Foundation
import IDXSimulatedOrg
import Synchronization
import WebServer

/// A program that serves a simulated org over HTTP.
@main
struct ServedOrg {
  static func main() async {
    let options: ServedOrgOptions
    do { options = try ServedOrgOptions(Array(CommandLine.arguments.dropFirst())) } catch {
      end("\(error)", status: 2)
    }
    if let text = options.text { return say(text) }
    do { try await serve(options) } catch { end("\(error)", status: 1) }
  }

  private static func serve(_ options: ServedOrgOptions) async throws {
    let signals = EndSignals()
    // The issuer contains the port, which may be known only when the server listens.
    let site = Mutex<OrgSite?>(nil)
    let server = try HTTPServer(port: options.port) { request in
      await site.withLock { $0 }?.respond(to: request) ?? HTTPResponse(status: 503)
    }
    let served = OrgSite(options, port: server.port)
    await served.org.changeTokens {
      $0.nonceLifetime = options.nonceLifetime
      $0.signsWithES256 = options.signsWithES256
    }
    await served.org.changeRequests {
      $0.isStrict = options.isStrict
      $0.trustedOrigins = options.trustedOrigins
      $0.signInPage = options.signInPage
      $0.samlApps = options.samlApps
      $0.pipeline = options.pipeline
      $0.clientKeys = options.clientKeys
    }
    site.withLock { $0 = served }
    say(served.facts.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
    say("Press Ctrl-C to end.")
    await signals.wait()
    await server.stop()
  }

  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  private static func end(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(status)
  }
}
