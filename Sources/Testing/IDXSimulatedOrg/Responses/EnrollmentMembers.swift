import IDX
import IDXBase

// What responses say about the enrollments of a user.
extension SimulatedUser.Enrollment {
  /// The profile of an enrollment in responses, partly masked.
  func profile(of user: SimulatedUser) -> JSONValue? {
    switch (authenticator, detail) {
    case (_, .address): user.maskedEmail
    case (_, .number(let number)):
      ["phoneNumber": .string("\(number.prefix(2)) XXX-XXX-\(number.suffix(4))")]
    case (_, .question(let question, _)): question.json
    case (_, .passkey(let passkey)): ["deviceName": .string(passkey.name)]
    case (.oktaVerify, _), (.customApp, _): ["deviceName": .string("\(user.firstName)'s phone")]
    default: nil
    }
  }

  var members: JSONValue {
    switch (authenticator, detail) {
    case (_, .passkey(let passkey)):
      [
        "credentialId": .string(Base64URL.encode(passkey.id)),
        "transports": ["internal", "hybrid"],
      ]
    case (.yubiKey, .token(let secret, _)):
      ["credentialId": .string("********" + DeviceCode.keyName(secret).suffix(4))]
    default: [:]
    }
  }
}

extension OrgAccount {
  /// The id of an enrollment, by its position; nil for the password.
  func enrollmentID(at index: Int?) -> String {
    let login = user.login.lowercased()
    guard let index, user.enrollments.indices.contains(index) else {
      return OrgSettings.id(OrgAuthenticator.password.idPrefix, login)
    }
    let key = user.enrollments[index].authenticator
    return OrgSettings.id(
      OrgAuthenticator[key]?.idPrefix ?? "enr", login, key.rawValue, String(index))
  }
}
