#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/resource.h>

// Swift cannot call functions with a variable number of arguments.

// Starts a daemon on the loopback interface; returns NULL if that fails.
static inline struct MHD_Daemon *MHD_start_on_loopback(
    uint16_t port, unsigned int connections, unsigned int idle_seconds,
    void *(*start)(void *, const char *, struct MHD_Connection *),
    MHD_AccessHandlerCallback handle, void *context, MHD_RequestCompletedCallback complete) {
  struct sockaddr_in address = {0};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL,
      handle, context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
      MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_URI_LOG_CALLBACK, start, NULL, MHD_OPTION_NOTIFY_COMPLETED, complete, context,
#if MHD_VERSION >= 0x00097701
      MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#endif
      MHD_OPTION_END);
}

// The size of the request line and the fields in bytes, with the empty line after them.
static inline size_t MHD_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// Lets this process open at least so many files, or as many as the system allows.
static inline void MHD_allow_open_files(rlim_t count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The port that the system chose.
static inline uint16_t MHD_bound_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}
