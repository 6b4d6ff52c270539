import IDXScreens
import SwiftUI

/// Any screen of a sign-in.
struct ScreenView: View {
  let model: AppModel
  let screen: Screen

  var body: some View {
    Form {
      Section {
        Text(screen.title).font(.title2)
        Text(screen.host).foregroundStyle(.secondary)
        if let confirmation = model.signIn.confirmation {
          Text(confirmation).foregroundStyle(.green)
        }
        ForEach(screen.messages, id: \.self) { message in
          Text(message.text).foregroundStyle(message.kind == .error ? .red : .primary)
        }
        if let reason = screen.unsupported { Text(reason) }
        ForEach(screen.notes, id: \.self) { Text($0) }
      }
      if let setUp = screen.setUp { SetUpView(setUp: setUp) }
      if let wait = screen.wait { WaitView(wait: wait) }
      Section {
        ForEach(screen.visibleInputs(with: model.signIn.values)) { input in
          InputView(model: model.signIn, input: input)
        }
        .onSubmit(act)
        if screen.action.role != .wait {
          Button(screen.action.label, action: act).buttonStyle(.borderedProminent)
        }
      }
      Section {
        ForEach(options) { option in
          Button(option.reason ?? option.label, role: option.role == .quit ? .cancel : nil) {
            model.signIn.choose(option.id, on: screen)
          }
        }
      }
    }
    .formStyle(.grouped)
    .disabled(!model.signIn.isAsking)
    .task { if screen.startsByItself, screen.page != nil { await model.act(on: screen) } }
  }

  private var options: [Screen.Option] {
    screen.options.filter(\.isProminent) + screen.options.filter { !$0.isProminent }
  }

  private func act() { Task { await model.act(on: screen) } }
}

/// What the server waits for.
struct WaitView: View {
  let wait: Screen.Wait

  var body: some View {
    Section {
      if let number = wait.number { Text(number).font(.largeTitle) }
      HStack {
        ProgressView()
        Text(wait.instruction ?? wait.text)
      }
      if let end = wait.end { Text(end, style: .timer).foregroundStyle(.secondary) }
    }
  }
}

/// The key of an authenticator app.
struct SetUpView: View {
  let setUp: AuthenticatorApp

  var body: some View {
    Section {
      if let modules = setUp.qrCodeModules {
        QRCodeView(modules: modules).accessibilityLabel("QR code")
      }
      if let key = setUp.keyInGroups { Text(key).textSelection(.enabled) }
      if let account = setUp.uri?.account { Text(account).foregroundStyle(.secondary) }
      if let uri = setUp.uri.flatMap({ URL(string: $0.text.revealed) }) {
        Link("Open in the app on this device", destination: uri)
      }
    }
  }
}

/// A QR code, dark on white also in dark mode.
struct QRCodeView: View {
  let modules: [[Bool]]

  private static let quietZone = 4

  var body: some View {
    Canvas { context, size in
      let width = size.width / Double(modules.count + 2 * Self.quietZone)
      for (y, row) in modules.enumerated() {
        for (x, isDark) in row.enumerated() where isDark {
          let square = CGRect(
            x: Double(x + Self.quietZone) * width, y: Double(y + Self.quietZone) * width,
            width: width, height: width)
          context.fill(Path(square), with: .color(.black))
        }
      }
    }
    .background(.white)
    .aspectRatio(1, contentMode: .fit)
    .frame(maxWidth: 240)
  }
}
