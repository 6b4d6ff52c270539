#include <gtk/gtk.h>
#include <glib-unix.h>

// libdispatch has these two functions for run loops of other libraries, such as that of Core Foundation.
// The first returns a file descriptor that can be read when there is work for the main queue.
int _dispatch_get_main_queue_handle_4CF(void);
// Does this work; must be called on the main thread.
void _dispatch_main_queue_callback_4CF(void *ignored);
