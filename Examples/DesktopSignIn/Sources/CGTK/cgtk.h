#include <gtk/gtk.h>
#include <glib-unix.h>

// Swift cannot call functions with any number of arguments. These tell a screen reader what belongs to a widget.

// A column of radio buttons.
static inline GtkWidget *radio_group(int spacing) {
  return g_object_new(
      GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", spacing, "accessible-role",
      GTK_ACCESSIBLE_ROLE_RADIO_GROUP, NULL);
}

// For GTK 4.8, it would be a check box.
static inline GtkWidget *radio_button(const char *label) {
  return g_object_new(
      GTK_TYPE_CHECK_BUTTON, "label", label, "accessible-role", GTK_ACCESSIBLE_ROLE_RADIO, NULL);
}

static inline void set_label(GtkWidget *widget, GtkWidget *label) {
  gtk_accessible_update_relation(
      GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

static inline void set_description(GtkWidget *widget, const char *text) {
  gtk_accessible_update_property(
      GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static inline void set_name(GtkWidget *widget, const char *text) {
  gtk_accessible_update_property(
      GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

// Adds to the style of the theme, for all windows of a display.
static inline void add_style(GtkWidget *window, const char *text) {
  GtkCssProvider *provider = gtk_css_provider_new();
  gtk_css_provider_load_from_data(provider, text, -1);
  gtk_style_context_add_provider_for_display(
      gtk_widget_get_display(window), GTK_STYLE_PROVIDER(provider),
      GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref(provider);
}

// libdispatch has these two functions for run loops of other libraries, such as that of Core Foundation.
// The first returns a file descriptor that can be read when there is work for the main queue.
int _dispatch_get_main_queue_handle_4CF(void);
// Does this work; must be called on the main thread.
void _dispatch_main_queue_callback_4CF(void *ignored);
