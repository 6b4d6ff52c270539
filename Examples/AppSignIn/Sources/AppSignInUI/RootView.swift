import IDXFlow
import IDXScreens
import SwiftUI

/// The sign-in, or the profile of the person who is signed in.
public struct RootView: View {
  let model: AppModel
  @Environment(\.scenePhase) private var scenePhase

  /// Shows the app.
  public init(model: AppModel) { self.model = model }

  /// The view for the status of the credential.
  public var body: some View {
    Group {
      switch model.credentials.status {
      case .unknown: ProgressView()
      case .valid, .expiring: ProfileView(model: model)
      default: SignInView(model: model)
      }
    }
    .task { await model.loadOrSignIn() }
    .onChange(of: scenePhase) {
      if scenePhase == .active { Task { await model.credentials.load() } }
    }
  }
}

/// The screen of the sign-in, or how it ended.
struct SignInView: View {
  let model: AppModel

  var body: some View {
    if let screen = model.signIn.screen {
      // A new screen is a new view: its field gets the focus, and its page is opened.
      ScreenView(model: model, screen: screen).id(screen.number)
    } else {
      Form { SignInEnd(model: model) }.formStyle(.grouped)
    }
  }
}

/// Before the first screen, and after the last one.
struct SignInEnd: View {
  let model: AppModel

  var body: some View {
    Section {
      switch model.signIn.phase {
      case .authenticating, .waiting: ProgressView()
      case .completed(let state):
        ForEach(state.response.allMessages, id: \.self) { Text($0.text ?? "") }
      case .failed(let failure): Text(failure.message).foregroundStyle(.red)
      default: Text("You are not signed in.")
      }
      ProblemsView(model: model)
      Button("Sign in") { Task { await model.startSignIn() } }
    }
  }
}

/// Who is signed in, and the tokens.
struct ProfileView: View {
  let model: AppModel

  private var credentials: CredentialModel { model.credentials }

  var body: some View {
    Form {
      Section("Profile") {
        LabeledContent("User", value: credentials.credential?.username ?? "")
        if let name = model.profile?.name { LabeledContent("Name", value: name) }
        if let email = model.profile?.email { LabeledContent("Email", value: email) }
      }
      Section("Tokens") {
        if let end = credentials.credential?.expiresAt {
          LabeledContent("Access token until") { Text(end, style: .time) }
        }
        if let time = credentials.refreshedAt {
          LabeledContent("Refreshed") { Text(time, style: .relative) }
        }
        if let scopes = credentials.credential?.scopes {
          LabeledContent("Scopes", value: scopes.joined(separator: " "))
        }
        Button("Refresh now") { Task { await credentials.refresh() } }
      }
      ProblemsView(model: model)
      Button("Sign out", role: .destructive) { Task { await model.signOut() } }
    }
    .formStyle(.grouped)
    .task { await model.loadProfile() }
  }
}

/// What went wrong outside the sign-in.
struct ProblemsView: View {
  let model: AppModel

  var body: some View {
    ForEach([model.credentials.problem, model.problem].compactMap(\.self), id: \.self) {
      Text($0).foregroundStyle(.red)
    }
  }
}
