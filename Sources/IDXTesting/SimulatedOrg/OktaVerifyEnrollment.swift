import IDXBase
import IDX
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How Okta Verify is set up: by a QR code, or by a link that goes to where the user says.
extension OktaVerifyAuthenticator {
  func enrollmentForms(for ceremony: Ceremony, isReady: Bool) -> [OrgStepForm] {
    let channel = ceremony.device.channel ?? "qrcode"
    let other = OrgForm.nested(
      "authenticator", label: displayName,
      [
        OrgForm.fixed("id", id, hidden: true),
        OrgForm.choice(
          "channel", label: "Channel", required: true,
          Self.channels.filter { $0.value != channel }),
      ])
    let selection = OrgStepForm(
      .selectEnrollmentChannel, "/credential/enroll", [other], isAboutCurrent: false)
    if isReady {
      let poll = OrgStepForm(.enrollPoll, "/challenge/poll", refresh: 4000, isAboutCurrent: false)
      return [poll, selection]
    }
    let field =
      channel == "email"
      ? OrgForm.text("email", label: "Email") : OrgForm.text("phoneNumber", label: "Phone number")
    return [OrgStepForm(.enrollmentChannelData, "/challenge/send", [field]), selection]
  }

  /// The channel, and what belongs to it.
  func enrollmentData(of ceremony: Ceremony) -> JSONValue {
    let channel = ceremony.device.channel ?? "qrcode"
    let data: JSONValue = ["selectedChannel": .string(channel)]
    let image = ceremony.qrCode.map { href in
      ["method": "embedded", "type": "image/png", "href": .string(href)] as JSONValue
    }
    let destination = ceremony.device.destination.map(JSONValue.string)
    return data.adding("qrcode", image, if: channel == "qrcode")
      .adding("email", destination, if: channel == "email")
      .adding("phoneNumber", destination, if: channel == "sms")
  }

  /// Draws the QR code, or sends the link.
  func deliver(
    _ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore
  ) -> Rejection? {
    let code = ceremony.code ?? ""
    guard ceremony.device.channel != "qrcode", let destination = ceremony.device.destination else {
      let query = FormURLEncoding.encode([
        ("t", code), ("f", id), ("s", org.settings.origin), ("issuer", org.settings.host),
        ("isIdxEnabled", "true"),
      ])
      let payload = "oktaverify://\(user.login)/?\(query)"
      ceremony.qrCode = (try? QRCode(payload)).map { code in
        "data:image/png;base64," + Data(code.png()).base64EncodedString()
      }
      return nil
    }
    let isMail = ceremony.device.channel == "email"
    guard isMail ? destination.isAddress : PhoneAuthenticator.isNumber(destination) else {
      let message: OrgMessage = isMail ? .invalidAddress : .invalidPhone
      return Rejection(
        status: 400, message: message, field: isMail ? "email" : "phoneNumber", isAttempt: false)
    }
    org.deliver(
      Mailbox.Message(
        method: isMail ? "email" : "sms", recipient: destination, code: code,
        text: "Set up Okta Verify: open \(org.settings.origin)/signin/enroll/\(code) on your phone."
      )
    )
    return nil
  }
}

extension String {
  /// Whether it has something before and after one `@`.
  fileprivate var isAddress: Bool {
    split(separator: "@", omittingEmptySubsequences: false).count == 2 && first != "@"
      && last != "@" && !contains(where: \.isWhitespace)
  }
}
