import IDXScreens
import SwiftUI

/// One input of a screen, with its rules and its problem.
struct InputView: View {
  @Bindable var model: SignInModel
  let input: Screen.Input

  var body: some View {
    VStack(alignment: .leading) {
      field
      ForEach([input.hint].compactMap(\.self) + input.rules, id: \.self) {
        Text($0).font(.caption).foregroundStyle(.secondary)
      }
      if let problem = input.problem { Text(problem).font(.caption).foregroundStyle(.red) }
    }
  }

  @ViewBuilder private var field: some View {
    switch input.kind {
    case .text:
      TextField(input.label, text: $model[input.id])
        .textContentType(input.contentType?.system)
        .autocorrectionDisabled()
        #if os(iOS)
          .textInputAutocapitalization(.never)
        #endif
    case .secret:
      SecureField(input.label, text: $model[input.id]).textContentType(input.contentType?.system)
    case .toggle:
      Toggle(input.label, isOn: $model[isOn: input.id])
    case .choice(let choices):
      Picker(input.label, selection: $model[input.id]) {
        ForEach(choices) { Text($0.label).tag($0.id) }
      }
      .pickerStyle(.inline)
    }
  }
}

#if os(macOS)
  typealias SystemContentType = NSTextContentType
#else
  typealias SystemContentType = UITextContentType
#endif

extension Screen.Input.ContentType {
  /// The type that the system fills in; nil if it has none.
  var system: SystemContentType? {
    switch self {
    case .username: return .username
    case .password: return .password
    case .oneTimeCode: return .oneTimeCode
    default: break
    }
    #if os(iOS)
      switch self {
      case .newPassword: return .newPassword
      case .email: return .emailAddress
      case .telephone: return .telephoneNumber
      case .givenName: return .givenName
      case .familyName: return .familyName
      default: break
      }
    #endif
    return nil
  }
}
