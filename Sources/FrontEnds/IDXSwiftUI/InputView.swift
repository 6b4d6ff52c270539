#if canImport(SwiftUI)
  import IDXFlow
  import SwiftUI

  /// One input of a screen, with its rules and its problem.
  struct InputView: View {
    @Bindable var model: SignInModel
    let input: Screen.Input
    let words: Words
    /// Whether the main action follows the field.
    let isLast: Bool
    let focus: FocusState<Screen.Input.ID?>.Binding
    /// Whether a secret is shown while it is typed.
    @State private var isShown = false

    var body: some View {
      VStack(alignment: .leading) {
        // The label inside of a field is gone as soon as something is typed; VoiceOver reads that one.
        if [.text, .secret].contains(input.kind) {
          Text(input.label).font(.subheadline).accessibilityHidden(true)
        }
        field
        ForEach(details, id: \.self) {
          Text($0).font(.caption).foregroundStyle(.secondary)
        }
        if let problem = input.problem { ProblemText(problem).font(.caption) }
      }
    }

    private var details: [String] { [input.hint].compactMap(\.self) + input.rules }

    @ViewBuilder private var field: some View {
      switch input.kind {
      case .text: visible
      case .secret:
        HStack {
          if isShown { visible } else { typed(SecureField(input.label, text: $model[input.id])) }
          Button(words.app("app.show-secret"), systemImage: isShown ? "eye.slash" : "eye") {
            isShown.toggle()
          }
          .labelStyle(.iconOnly).buttonStyle(.borderless)
          .accessibilityAddTraits(isShown ? .isSelected : [])
        }
        .onChange(of: isShown) { focus.wrappedValue = input.id }
      case .toggle: Toggle(input.label, isOn: $model[isOn: input.id])
      case .choice(let choices):
        Picker(input.label, selection: $model[input.id]) {
          ForEach(choices) { Text($0.label).tag($0.id) }
        }
        .pickerStyle(.inline)
      }
    }

    /// A field that shows what is typed.
    private var visible: some View {
      typed(TextField(input.label, text: $model[input.id]).autocorrectionDisabled())
        #if os(iOS)
          .textInputAutocapitalization(.never)
          .keyboardType(input.keyboard.system)
        #endif
    }

    /// A field in which a person types, with what assistive technologies say about it.
    private func typed(_ field: some View) -> some View {
      field.focused(focus, equals: input.id)
        .textContentType(input.contentType?.system)
        .submitLabel(isLast ? .go : .next)
        .accessibilityHint(
          Text((details + [input.problem].compactMap(\.self)).joined(separator: ". ")))
    }
  }

  #if os(macOS)
    typealias SystemContentType = NSTextContentType
  #else
    typealias SystemContentType = UITextContentType

    extension Screen.Input.Keyboard {
      /// The keyboard of the system.
      var system: UIKeyboardType {
        switch self {
        case .text: .default
        case .digits: .numberPad
        case .email: .emailAddress
        case .telephone: .phonePad
        }
      }
    }
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
#endif
