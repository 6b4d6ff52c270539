// Views, scenes and their state. Source: Apple's documentation of SwiftUI.

@_exported public import AppleFoundation
public import Observation

#if os(macOS)
  @_exported public import AppKit
#else
  @_exported public import UIKit
#endif

// MARK: - Views

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
  public var body: Never { get }
}

public struct EmptyView: View {
  public init()
  public var body: Never { get }
}

public struct AnyView: View {
  public init<V>(_ view: V) where V: View
  public var body: Never { get }
}

public struct TupleView<T>: View {
  public var body: Never { get }
}

public struct _ConditionalContent<TrueContent, FalseContent> {}

extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
  public var body: Never { get }
}

extension Optional: View where Wrapped: View {
  public var body: Never { get }
}

@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content>(_ content: Content) -> Content where Content: View
  public static func buildBlock() -> EmptyView
  public static func buildBlock<Content>(_ content: Content) -> Content where Content: View
  public static func buildBlock<each Content>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> where repeat each Content: View
  public static func buildIf<Content>(_ content: Content?) -> Content? where Content: View
  public static func buildEither<TrueContent, FalseContent>(
    first: TrueContent
  ) -> _ConditionalContent<TrueContent, FalseContent> where TrueContent: View, FalseContent: View
  public static func buildEither<TrueContent, FalseContent>(
    second: FalseContent
  ) -> _ConditionalContent<TrueContent, FalseContent> where TrueContent: View, FalseContent: View
}

// MARK: - Scenes

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
  public static func buildExpression<Content>(_ content: Content) -> Content where Content: Scene
  public static func buildBlock<Content>(_ content: Content) -> Content where Content: Scene
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
  @MainActor @preconcurrency init()
}

extension App {
  @MainActor @preconcurrency public static func main()
}

public struct WindowGroup<Content>: Scene where Content: View {
  public init(@ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public enum ScenePhase: Comparable, Hashable, Sendable {
  case background
  case inactive
  case active
}

// MARK: - State

@propertyWrapper public struct State<Value> {
  public init(wrappedValue value: Value)
  public init(initialValue value: Value)
  public var wrappedValue: Value { get nonmutating set }
  public var projectedValue: Binding<Value> { get }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  public var wrappedValue: Value { get nonmutating set }
  public var projectedValue: Binding<Value> { get }
  public subscript<Subject>(
    dynamicMember keyPath: WritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { get }
  public static func constant(_ value: Value) -> Binding<Value>
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
  public var wrappedValue: Value { get set }
  public var projectedValue: Bindable<Value> { get }
  public init(wrappedValue: Value)
}

extension Bindable where Value: AnyObject {
  public subscript<Subject>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { get }
}

@propertyWrapper public struct FocusState<Value> where Value: Hashable {
  @propertyWrapper public struct Binding {
    public var wrappedValue: Value { get nonmutating set }
    public var projectedValue: FocusState<Value>.Binding { get }
  }

  public init() where Value == Bool
  public init<T>() where Value == T?, T: Hashable
  public var wrappedValue: Value { get nonmutating set }
  public var projectedValue: FocusState<Value>.Binding { get }
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Self.Value { get }
}

public struct EnvironmentValues {
  public init()
  public subscript<K>(key: K.Type) -> K.Value where K: EnvironmentKey { get set }
  public var scenePhase: ScenePhase { get set }
  public var openURL: OpenURLAction { get set }
}

@MainActor @preconcurrency public struct OpenURLAction: Sendable {
  @MainActor @preconcurrency public func callAsFunction(_ url: URL)
}

@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>)
  public var wrappedValue: Value { get }
}
