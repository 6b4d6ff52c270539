import CGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

// What the window needs of GTK, as functions and methods of Swift.

extension Widget {
  /// The widget as a type that GTK's headers define.
  func cast<Type>(_ type: Type.Type = Type.self) -> UnsafeMutablePointer<Type> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Type.self)
  }

  /// The widget as a type that GTK's headers only name.
  var opaque: OpaquePointer { OpaquePointer(self) }

  func add(_ child: Widget?) { if let child { gtk_box_append(cast(), child) } }

  func setMargins(_ size: Int32) {
    gtk_widget_set_margin_start(self, size)
    gtk_widget_set_margin_end(self, size)
    gtk_widget_set_margin_top(self, size)
    gtk_widget_set_margin_bottom(self, size)
  }

  func removeAll() {
    while let child = gtk_widget_get_first_child(self) { gtk_box_remove(cast(), child) }
  }

  /// Calls a function for each signal with this name, as long as the widget exists.
  @MainActor
  func on(_ signal: String, _ call: @escaping @MainActor () -> Void) {
    let callback: @convention(c) (gpointer, gpointer) -> Void = { data, _ in callHandler(data) }
    connect(signal, unsafeBitCast(callback, to: GCallback.self), call)
  }

  /// Calls a function when the person closes the window, which stays until the app ends it.
  @MainActor
  func onCloseRequest(_ call: @escaping @MainActor () -> Void) {
    // For 1, GTK does not destroy the window.
    let callback: @convention(c) (gpointer, gpointer) -> gboolean = { data, _ in
      callHandler(data)
      return 1
    }
    connect("close-request", unsafeBitCast(callback, to: GCallback.self), call)
  }

  @MainActor
  private func connect(
    _ signal: String, _ callback: GCallback, _ call: @escaping @MainActor () -> Void
  ) {
    // With “swapped”, the handler is the first argument of every signal, and the widget the last one.
    g_signal_connect_data(
      self, signal, callback,
      Unmanaged.passRetained(SignalHandler(call: call)).toOpaque(),
      { data, _ in data.map { Unmanaged<SignalHandler>.fromOpaque($0).release() } },
      G_CONNECT_SWAPPED)
  }
}

private final class SignalHandler: Sendable {
  let call: @MainActor () -> Void
  init(call: @escaping @MainActor () -> Void) { self.call = call }
}

private func callHandler(_ data: gpointer) {
  let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
  MainActor.assumeIsolated { handler.call() }
}

@MainActor
func column(_ spacing: Int32) -> Widget { gtk_box_new(GTK_ORIENTATION_VERTICAL, spacing) }

@MainActor
func row(_ spacing: Int32) -> Widget { gtk_box_new(GTK_ORIENTATION_HORIZONTAL, spacing) }

@MainActor
func label(_ text: String, _ style: String = "body") -> Widget {
  let label: Widget = gtk_label_new(text)
  gtk_widget_add_css_class(label, style)
  gtk_label_set_wrap(label.opaque, 1)
  gtk_label_set_max_width_chars(label.opaque, 44)
  gtk_label_set_xalign(label.opaque, 0)
  return label
}

@MainActor
func button(
  _ text: String, _ style: String, _ action: @escaping @MainActor () -> Void
) -> Widget {
  let button: Widget = gtk_button_new_with_label(text)
  gtk_widget_add_css_class(button, style)
  button.on("clicked", action)
  return button
}

/// A button that looks like a link, at the edge of the column.
@MainActor
func link(_ text: String, _ action: @escaping @MainActor () -> Void) -> Widget {
  let link = button(text, "link", action)
  gtk_widget_add_css_class(link, "option")
  gtk_widget_set_halign(link, GTK_ALIGN_START)
  return link
}

/// An image from the bytes of a file, and what a screen reader says instead; nil if it cannot be read.
@MainActor
func picture(_ file: [UInt8], _ text: String) -> Widget? {
  let bytes = g_bytes_new(file, gsize(file.count))
  defer { g_bytes_unref(bytes) }
  guard let texture = gdk_texture_new_from_bytes(bytes, nil) else { return nil }
  defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
  let picture = gtk_picture_new_for_paintable(texture)
  gtk_widget_set_halign(picture, GTK_ALIGN_CENTER)
  gtk_picture_set_can_shrink(picture?.opaque, 0)
  set_name(picture, text)
  return picture
}
