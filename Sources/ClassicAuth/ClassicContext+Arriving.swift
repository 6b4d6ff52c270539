import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ClassicContext {
  /// A code to be scanned is small; what is larger is none.
  private static let largestImage = 256 * 1024

  /// Where a transaction leads to, with the image of what is to be scanned.
  ///
  /// The only factor is picked where nothing has to be sent for it. The image is fetched once. Where a key is sent in text, a QR code is drawn of that.
  func arriving(
    at transaction: ClassicTransaction, _ exchange: ClassicExchange,
    of configuration: FlowConfiguration
  ) async throws -> ClassicContext {
    var context = atTransaction(username: transaction.login)
    // A transaction without a password is one that a mail or a link began.
    if transaction.status == .unauthenticated { context = context.at(.username) }
    if let factor = transaction.onlyFactor, !factor.needsStart { context.factor = factor.pick }
    let activation = transaction.factor?.embedded?["activation"]
    guard activation?["sharedSecret"] == nil, transaction.factor?.type != "webauthn",
      let href = activation?["_links"]?["qrcode"]?["href"]?.string
    else {
      context.image = nil
      return context
    }
    if context.image?.href == href { return context }
    context.image = nil
    // Without it the person may still have another channel: no reason to fail.
    if let image = try? await exchange.get(href, for: .enrollPoll, of: configuration),
      image.body.count <= Self.largestImage, image.body.starts(with: Self.png)
    {
      let text = Data(image.body).base64EncodedString()
      context.image = Image(href: href, dataURI: "data:image/png;base64,\(text)")
    }
    return context
  }

  /// How every PNG begins.
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
}
