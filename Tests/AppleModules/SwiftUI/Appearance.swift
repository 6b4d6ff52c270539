// Colors, drawing and modifiers. Source: Apple's documentation of SwiftUI.

public protocol ShapeStyle: Sendable {}

public struct Color: ShapeStyle, Hashable, View {
  public static let red: Color
  public static let green: Color
  public static let black: Color
  public static let white: Color
  public static let clear: Color
  public static let primary: Color
  public static let secondary: Color
  public var body: Never { get }
}

extension ShapeStyle where Self == Color {
  public static var red: Color { get }
  public static var green: Color { get }
  public static var black: Color { get }
  public static var white: Color { get }
}

public struct HierarchicalShapeStyle: ShapeStyle {
  public static let primary: HierarchicalShapeStyle
  public static let secondary: HierarchicalShapeStyle
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { get }
  public static var secondary: HierarchicalShapeStyle { get }
}

public struct Image: Equatable, Sendable, View {
  public init(_ name: String, bundle: Bundle? = nil)
  public var body: Never { get }
}

public struct AccessibilityTraits: SetAlgebra, Sendable {
  public typealias ArrayLiteralElement = AccessibilityTraits
  public typealias Element = AccessibilityTraits
  public static let isHeader: AccessibilityTraits
  public static let isSelected: AccessibilityTraits
  public init()
  public func contains(_ member: AccessibilityTraits) -> Bool
  public func union(_ other: AccessibilityTraits) -> AccessibilityTraits
  public func intersection(_ other: AccessibilityTraits) -> AccessibilityTraits
  public func symmetricDifference(_ other: AccessibilityTraits) -> AccessibilityTraits
  public mutating func insert(
    _ newMember: AccessibilityTraits
  ) -> (inserted: Bool, memberAfterInsert: AccessibilityTraits)
  public mutating func remove(_ member: AccessibilityTraits) -> AccessibilityTraits?
  public mutating func update(with newMember: AccessibilityTraits) -> AccessibilityTraits?
  public mutating func formUnion(_ other: AccessibilityTraits)
  public mutating func formIntersection(_ other: AccessibilityTraits)
  public mutating func formSymmetricDifference(_ other: AccessibilityTraits)
  public static func == (a: AccessibilityTraits, b: AccessibilityTraits) -> Bool
}

public struct SubmitLabel: Sendable {
  public static var go: SubmitLabel { get }
  public static var next: SubmitLabel { get }
}

public struct Font: Hashable, Sendable {
  public static let largeTitle: Font
  public static let title2: Font
  public static let title3: Font
  public static let subheadline: Font
  public static let caption: Font

  public func monospaced() -> Font
}

public enum ContentMode: Hashable, CaseIterable, Sendable {
  case fit
  case fill
}

public struct Alignment: Equatable, Sendable {
  public static let center: Alignment
  public static let leading: Alignment
}

public struct Path: Equatable, Sendable {
  public init(_ rect: CGRect)
}

public struct FillStyle: Equatable, Sendable {
  public init(eoFill: Bool = false, antialiased: Bool = true)
}

public struct GraphicsContext {
  public struct Shading: Sendable {
    public static func color(_ color: Color) -> GraphicsContext.Shading
  }

  public func fill(
    _ path: Path, with shading: GraphicsContext.Shading, style: FillStyle = FillStyle())
}

public struct Canvas<Symbols>: View where Symbols: View {
  public var body: Never { get }
}

extension Canvas where Symbols == EmptyView {
  public init(
    opaque: Bool = false, rendersAsynchronously: Bool = false,
    renderer: @escaping (inout GraphicsContext, CGSize) -> Void)
}

// MARK: - Modifiers

public struct EdgeInsets: Equatable, Sendable {
  public init()
}

public enum ControlSize: CaseIterable, Sendable {
  case mini
  case small
  case regular
  case large
}

extension View {
  public func controlSize(_ controlSize: ControlSize) -> some View
  public func labelStyle<S>(_ style: S) -> some View where S: LabelStyle
  public func listRowInsets(_ insets: EdgeInsets?) -> some View
  public func listRowBackground<V>(_ view: V?) -> some View where V: View
  public func font(_ font: Font?) -> some View
  public func tint(_ tint: Color?) -> some View
  public func foregroundStyle<S>(_ style: S) -> some View where S: ShapeStyle
  public func background<S>(_ style: S) -> some View where S: ShapeStyle
  public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View
  public func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil,
    minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
    alignment: Alignment = .center
  ) -> some View
  public func id<ID>(_ id: ID) -> some View where ID: Hashable
  public func tag<V>(_ tag: V) -> some View where V: Hashable
  public func disabled(_ disabled: Bool) -> some View
  public func accessibilityLabel(_ label: Text) -> some View
  public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View
  public func accessibilityHint(_ hint: Text) -> some View
  public func accessibilityHidden(_ hidden: Bool) -> some View
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View
  public func submitLabel(_ submitLabel: SubmitLabel) -> some View
  public func focused<Value>(
    _ binding: FocusState<Value>.Binding, equals value: Value
  ) -> some View where Value: Hashable
  public func overlay<V>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View where V: View
  public func onAppear(perform action: (() -> Void)? = nil) -> some View
  public func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View
  public func textSelection<S>(_ selectability: S) -> some View where S: TextSelectability
  public func formStyle<S>(_ style: S) -> some View where S: FormStyle
  public func pickerStyle<S>(_ style: S) -> some View where S: PickerStyle
  public func buttonStyle<S>(_ style: S) -> some View where S: PrimitiveButtonStyle
  public func autocorrectionDisabled(_ disable: Bool = true) -> some View
  public func onSubmit(_ action: @escaping () -> Void) -> some View
  public func onChange<V>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View where V: Equatable
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View
  #if os(macOS)
    public func textContentType(_ textContentType: NSTextContentType?) -> some View
  #else
    public func textContentType(_ textContentType: UITextContentType?) -> some View
    public func keyboardType(_ type: UIKeyboardType) -> some View
    public func textInputAutocapitalization(
      _ autocapitalization: TextInputAutocapitalization?
    ) -> some View
  #endif
}

#if os(iOS)
  public struct TextInputAutocapitalization: Sendable {
    public static var never: TextInputAutocapitalization { get }
  }
#endif
