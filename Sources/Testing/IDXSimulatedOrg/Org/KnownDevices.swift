import Foundation
import IDX
import IDXBase

// What an org does about the device of a request (``SignInPolicy/DeviceRules``).
extension OrgCore {
  /// The authenticators that the current sign-in has proved, and on a device that is remembered all others that are set
  /// up.
  ///
  /// The password is always needed.
  var proved: Set<IDXAuthenticator.Key> {
    let proved = signIn.proved.keys
    guard settings.policy.devices?.skipsFactors == true, signIn.operation == nil,
      let device, account.devices.contains(device)
    else { return proved }
    return proved.union(account.user.enrollments.map(\.authenticator))
  }

  /// Remembers the device after a sign-in, and tells the user about a new one.
  func rememberDevice(isAgreed: Bool) {
    guard let rules = settings.policy.devices, let device else { return }
    if rules.sendsMail, !account.devices.contains(device) {
      deliver(
        Mailbox.Message(
          method: "email", recipient: account.user.email, code: "",
          text: language.text(
            "You have signed in from a new device. If that was not you, change your password.")))
    }
    if isAgreed { account.devices.insert(device) }
  }
}

extension TransportRequest {
  /// The token of the device: from the cookie, or from the header field of a server that signs people in.
  var device: String? {
    let cookies = (field("Cookie") ?? "").split(separator: ";").map { $0.trimmed() }
    let cookie = cookies.first { $0.hasPrefix("DT=") }.map { String($0.dropFirst(3)) }
    return field("X-Device-Token") ?? cookie
  }
}
