#if canImport(SwiftUI)
  public import IDXFlow
  public import SwiftUI

  /// What a ``SignInView`` shows besides its screens; colors and fonts are those of the environment.
  ///
  ///     SignInView(client: client, configuration: configuration) { _ in }
  ///       .signInStyle(SignInStyle(logo: Image("Logo")))
  ///       .tint(.green)
  public struct SignInStyle: Sendable {
    /// A picture above the title; nil, the default, for none.
    public var logo: Image?
    /// Whether the host that gets the answers is shown below the title; true by default.
    ///
    /// The server chooses all other texts, so only the host says who asks. An app with one org of its own can hide it.
    public var showsHost: Bool

    /// Creates a style.
    public init(logo: Image? = nil, showsHost: Bool = true) {
      self.logo = logo
      self.showsHost = showsHost
    }
  }

  private struct SignInStyleKey: EnvironmentKey {
    static let defaultValue = SignInStyle()
  }

  /// Returns the view of a screen; the third value is the built-in view of it.
  typealias SignInScreens = @MainActor @Sendable (Screen, SignInModel, AnyView) -> AnyView

  private struct SignInScreensKey: EnvironmentKey {
    static let defaultValue: SignInScreens? = nil
  }

  extension EnvironmentValues {
    /// The app's own views of screens; nil if it has none.
    var signInScreens: SignInScreens? {
      get { self[SignInScreensKey.self] }
      set { self[SignInScreensKey.self] = newValue }
    }

    /// The style of sign-ins.
    public var signInStyle: SignInStyle {
      get { self[SignInStyleKey.self] }
      set { self[SignInStyleKey.self] = newValue }
    }
  }

  extension View {
    /// Sets the style of the sign-ins in this view.
    public func signInStyle(_ style: SignInStyle) -> some View {
      environment(\.signInStyle, style)
    }

    /// Shows the screens of the sign-ins in this view in the app's own way.
    ///
    ///     SignInView(client: client, configuration: configuration) { _ in }
    ///       .signInScreens { screen, model, builtIn in
    ///         @Bindable var model = model
    ///         if screen.step?.remediation.name == .identify {
    ///           TextField("Email", text: $model["identifier"])
    ///           Button(screen.action.label) { model.submit(screen) }.disabled(!model.isAsking)
    ///         } else {
    ///           builtIn
    ///         }
    ///       }
    ///
    /// - Parameter content: Returns the view of a screen; the third value is the built-in view of it.
    public func signInScreens(
      @ViewBuilder _ content:
        @escaping @MainActor @Sendable (_ screen: Screen, _ model: SignInModel, _ builtIn: AnyView)
        -> some View
    ) -> some View {
      environment(\.signInScreens) { AnyView(content($0, $1, $2)) }
    }
  }
#endif
