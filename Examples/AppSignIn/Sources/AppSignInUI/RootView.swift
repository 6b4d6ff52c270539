import IDXFlow
import IDXSwiftUI
import SwiftUI

/// The app, or why it cannot start.
public struct RootView: View {
  @State private var model: AppModel?
  @State private var problem: String?

  /// Shows the app for the org of `Okta.plist`.
  public init() {}

  /// The app, or what is missing; a debug build offers a simulated org then.
  public var body: some View {
    if let model {
      AppView(model: model)
    } else {
      Form {
        if let problem { Text(problem).foregroundStyle(.red) }
        #if DEBUG
          Button("Try it with a simulated org") { start { try .demo() } }
        #endif
      }
      .formStyle(.grouped)
      .task { start { try .live() } }
    }
  }

  private func start(_ make: () throws -> AppModel) {
    do { model = try make() } catch { problem = error.localizedDescription }
  }
}

/// The sign-in, or the profile of the person who is signed in.
struct AppView: View {
  let model: AppModel
  @Environment(\.scenePhase) private var scenePhase

  private var credentials: CredentialModel { model.credentials }

  var body: some View {
    Group {
      switch credentials.status {
      case .unknown: ProgressView()
      case .unreadable:
        Form {
          ProblemsView(model: model)
          Button("Try again") { Task { await credentials.load() } }
        }
        .formStyle(.grouped)
      case .valid, .expiring: ProfileView(model: model)
      case .signedOut, .expired:
        ProblemsView(model: model)
        SignInView(
          client: model.client, configuration: model.configuration, passkeys: model.passkeys,
          pages: model.pages
        ) { await credentials.keep($0) }
      }
    }
    .task { await credentials.load() }
    .onChange(of: scenePhase) {
      if scenePhase == .active { Task { await credentials.load() } }
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
