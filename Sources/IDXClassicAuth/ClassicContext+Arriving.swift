import IDXOAuth
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
  /// The only factor is picked where nothing has to be sent for it. The image is fetched once. Where
  /// a key is sent in text, a QR code is drawn of that.
  func arriving(
    at transaction: ClassicTransaction, _ exchange: ClassicExchange,
    of configuration: FlowConfiguration
  ) async throws -> ClassicContext {
    var context = atTransaction(username: transaction.login)
    // A transaction without a password is one that a mail or a link began.
    if transaction.status == .unauthenticated { context = context.at(.username) }
    if let factor = transaction.onlyFactor, !factor.needsStart { context.factor = factor.pick }
    guard let href = transaction.imageAddress else {
      context.image = nil
      return context
    }
    if context.image?.href == href { return context }
    context.image = nil
    // Without it the person may still have another channel: no reason to fail.
    do {
      let image = try await exchange.get(
        href, as: "image/png", for: .enrollPoll, of: configuration)
      if let image, image.count <= Self.largestImage, image.starts(with: Self.png) {
        let text = Data(image).base64EncodedString()
        context.image = Image(href: href, dataURI: "data:image/png;base64,\(text)")
      }
    } catch is FlowError {}
    return context
  }

  /// How every PNG begins.
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
}

extension ClassicContext.Image {
  /// What a response shows to be scanned; nil for nothing.
  ///
  /// It is read back from there, so that forms need not carry it.
  init?(shownIn response: IDXResponse) {
    let data = response.currentAuthenticator?.raw["contextualData"]?["qrcode"]?["href"]?.string
    guard let data, let href = ClassicTransaction(response.original)?.imageAddress else {
      return nil
    }
    self.init(href: href, dataURI: data)
  }
}
