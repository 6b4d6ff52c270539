import CGTK
import Foundation

/// The main loop of GLib, which also runs the main actor.
///
/// Swift gives the work of the main actor to the main queue of Dispatch. On Linux, this queue has a file
/// descriptor that can be read when there is work. GLib waits for it together with the events of the
/// window, so that an idle program needs no processor time.
@MainActor
enum MainLoop {
  private static let loop = g_main_loop_new(nil, 0)

  /// Runs until ``quit()``.
  static func run() {
    let descriptor = _dispatch_get_main_queue_handle_4CF()
    g_unix_fd_add(
      descriptor, G_IO_IN,
      { descriptor, _, _ in
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout.size(ofValue: count))
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      }, nil)
    g_main_loop_run(loop)
  }

  /// Ends ``run()``.
  static func quit() { g_main_loop_quit(loop) }
}
