// Texts, controls and containers. Source: Apple's documentation of SwiftUI.

public protocol FormStyle {}
public struct GroupedFormStyle: FormStyle {}
extension FormStyle where Self == GroupedFormStyle {
  public static var grouped: GroupedFormStyle { get }
}

public protocol PickerStyle {}
public struct InlinePickerStyle: PickerStyle {}
extension PickerStyle where Self == InlinePickerStyle {
  public static var inline: InlinePickerStyle { get }
}

public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
  public static var borderedProminent: BorderedProminentButtonStyle { get }
}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
  public static var bordered: BorderedButtonStyle { get }
}
public struct BorderlessButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
  public static var borderless: BorderlessButtonStyle { get }
}
public protocol LabelStyle {}
public struct IconOnlyLabelStyle: LabelStyle {}
extension LabelStyle where Self == IconOnlyLabelStyle {
  public static var iconOnly: IconOnlyLabelStyle { get }
}

public protocol TextSelectability {}
public struct EnabledTextSelectability: TextSelectability {}
extension TextSelectability where Self == EnabledTextSelectability {
  public static var enabled: EnabledTextSelectability { get }
}

// Literals mean a key of a localized text, and other strings themselves.
public struct LocalizedStringKey: ExpressibleByStringLiteral {
  public init(stringLiteral value: String)
}

public struct Text: View {
  public struct DateStyle: Sendable {
    public static let time: Text.DateStyle
    public static let date: Text.DateStyle
    public static let relative: Text.DateStyle
    public static let offset: Text.DateStyle
    public static let timer: Text.DateStyle
  }

  public init(_ key: LocalizedStringKey)
  @_disfavoredOverload public init<S>(_ content: S) where S: StringProtocol
  public init(_ date: Date, style: Text.DateStyle)
  public var body: Never { get }
}

extension Text {
  public func font(_ font: Font?) -> Text
  public func foregroundStyle<S>(_ style: S) -> Text where S: ShapeStyle
}

public struct TextField<Label>: View where Label: View {
  public var body: Never { get }
}

extension TextField where Label == Text {
  @_disfavoredOverload public init<S>(_ title: S, text: Binding<String>) where S: StringProtocol
  public init(_ titleKey: LocalizedStringKey, text: Binding<String>)
}

public struct SecureField<Label>: View where Label: View {
  public var body: Never { get }
}

extension SecureField where Label == Text {
  @_disfavoredOverload public init<S>(_ title: S, text: Binding<String>) where S: StringProtocol
  public init(_ titleKey: LocalizedStringKey, text: Binding<String>)
}

public struct Toggle<Label>: View where Label: View {
  public var body: Never { get }
}

extension Toggle where Label == Text {
  @_disfavoredOverload public init<S>(_ title: S, isOn: Binding<Bool>) where S: StringProtocol
  public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>)
}

public struct Picker<Label, SelectionValue, Content>: View
where Label: View, SelectionValue: Hashable, Content: View {
  public var body: Never { get }
}

extension Picker where Label == Text {
  @_disfavoredOverload public init<S>(
    _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
  ) where S: StringProtocol
  public init(
    _ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>,
    @ViewBuilder content: () -> Content)
}

public struct ButtonRole: Equatable, Sendable {
  public static let destructive: ButtonRole
  public static let cancel: ButtonRole
}

public struct Label<Title, Icon>: View where Title: View, Icon: View {
  public var body: Never { get }
}

extension Label where Title == Text, Icon == Image {
  public init(_ titleKey: LocalizedStringKey, systemImage name: String)
  @_disfavoredOverload public init<S>(_ title: S, systemImage name: String)
  where S: StringProtocol
}

public struct Button<Label>: View where Label: View {
  public var body: Never { get }
}

extension Button {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label)
}

extension Button where Label == SwiftUI.Label<Text, Image> {
  public init(
    _ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void)
  @_disfavoredOverload public init<S>(
    _ title: S, systemImage: String, action: @escaping @MainActor () -> Void
  ) where S: StringProtocol
}

extension Button where Label == Text {
  public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void)
  @_disfavoredOverload public init<S>(_ title: S, action: @escaping @MainActor () -> Void)
  where S: StringProtocol
  public init(
    _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void)
  @_disfavoredOverload public init<S>(
    _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) where S: StringProtocol
}

public struct Link<Label>: View where Label: View {
  public var body: Never { get }
}

extension Link where Label == Text {
  public init(_ titleKey: LocalizedStringKey, destination: URL)
  @_disfavoredOverload public init<S>(_ title: S, destination: URL) where S: StringProtocol
}

public struct ProgressView<Label, CurrentValueLabel>: View
where Label: View, CurrentValueLabel: View {
  public var body: Never { get }
}

extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
  public init()
}

public struct LabeledContent<Label, Content> {}

extension LabeledContent: View where Label: View, Content: View {
  public var body: Never { get }
}

extension LabeledContent where Label == Text, Content: View {
  public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content)
}

extension LabeledContent where Label == Text, Content == Text {
  @_disfavoredOverload public init<S>(_ titleKey: LocalizedStringKey, value: S)
  where S: StringProtocol
}

// MARK: - Containers

public struct HorizontalAlignment: Equatable, Sendable {
  public static let leading: HorizontalAlignment
  public static let center: HorizontalAlignment
}

public struct VerticalAlignment: Equatable, Sendable {
  public static let center: VerticalAlignment
}

public struct Form<Content>: View where Content: View {
  public init(@ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public struct Group<Content> {}

extension Group: View where Content: View {
  public init(@ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public struct ZStack<Content>: View where Content: View {
  public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public struct VStack<Content>: View where Content: View {
  public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public struct HStack<Content>: View where Content: View {
  public init(
    alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content)
  public var body: Never { get }
}

public struct Section<Parent, Content, Footer> {}

extension Section: View where Parent: View, Content: View, Footer: View {
  public var body: Never { get }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
  public init(@ViewBuilder content: () -> Content)
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer)
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
  public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content)
}

public struct ForEach<Data, ID, Content> where Data: RandomAccessCollection, ID: Hashable {}

extension ForEach: View where Content: View {
  public var body: Never { get }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
}

extension ForEach where Content: View {
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content)
}
