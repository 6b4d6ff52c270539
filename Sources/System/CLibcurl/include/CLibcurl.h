#ifndef IDX_CLIBCURL_H
#define IDX_CLIBCURL_H

// What the transport uses of libcurl's binary interface, so that a build needs none of its headers. The names are
// those of curl/curl.h and curl/multi.h with a prefix; `pytest -k constants` compares the values with those.
//
// No header of the system is included here, because Swift would take its declarations for ones of this module.

enum {
  // Options of a transfer.
  IDX_CURLOPT_CAINFO = 10065,
  IDX_CURLOPT_CAPATH = 10097,
  IDX_CURLOPT_CA_CACHE_TIMEOUT = 321,
  IDX_CURLOPT_COPYPOSTFIELDS = 10165,
  IDX_CURLOPT_CUSTOMREQUEST = 10036,
  IDX_CURLOPT_DEBUGDATA = 10095,
  IDX_CURLOPT_DEBUGFUNCTION = 20094,
  IDX_CURLOPT_ERRORBUFFER = 10010,
  IDX_CURLOPT_FORBID_REUSE = 75,
  IDX_CURLOPT_FRESH_CONNECT = 74,
  IDX_CURLOPT_HEADERDATA = 10029,
  IDX_CURLOPT_HEADERFUNCTION = 20079,
  IDX_CURLOPT_HTTP09_ALLOWED = 285,
  IDX_CURLOPT_HTTPGET = 80,
  IDX_CURLOPT_HTTPHEADER = 10023,
  IDX_CURLOPT_HTTP_VERSION = 84,
  IDX_CURLOPT_MAXAGE_CONN = 288,
  IDX_CURLOPT_MAXFILESIZE_LARGE = 30117,
  IDX_CURLOPT_NOBODY = 44,
  IDX_CURLOPT_NOPROGRESS = 43,
  IDX_CURLOPT_NOPROXY = 10177,
  IDX_CURLOPT_NOSIGNAL = 99,
  IDX_CURLOPT_OPENSOCKETDATA = 10164,
  IDX_CURLOPT_OPENSOCKETFUNCTION = 20163,
  IDX_CURLOPT_PATH_AS_IS = 234,
  IDX_CURLOPT_POST = 47,
  IDX_CURLOPT_POSTFIELDSIZE_LARGE = 30120,
  IDX_CURLOPT_PREREQDATA = 10313,
  IDX_CURLOPT_PREREQFUNCTION = 20312,
  IDX_CURLOPT_PROTOCOLS = 181,
  IDX_CURLOPT_PROXY = 10004,
  IDX_CURLOPT_PROXY_CAINFO = 10246,
  IDX_CURLOPT_PROXY_CAPATH = 10247,
  IDX_CURLOPT_QUICK_EXIT = 322,
  IDX_CURLOPT_RESOLVER_START_DATA = 10273,
  IDX_CURLOPT_RESOLVER_START_FUNCTION = 20272,
  IDX_CURLOPT_SHARE = 10100,
  IDX_CURLOPT_SSLVERSION = 32,
  IDX_CURLOPT_SSL_SESSIONID_CACHE = 150,
  IDX_CURLOPT_SSL_VERIFYHOST = 81,
  IDX_CURLOPT_SSL_VERIFYPEER = 64,
  IDX_CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
  IDX_CURLOPT_URL = 10002,
  IDX_CURLOPT_VERBOSE = 41,
  IDX_CURLOPT_WRITEDATA = 10001,
  IDX_CURLOPT_WRITEFUNCTION = 20011,
  IDX_CURLOPT_XFERINFODATA = 10057,
  IDX_CURLOPT_XFERINFOFUNCTION = 20219,

  // Options of all transfers.
  IDX_CURLMOPT_MAX_CONCURRENT_STREAMS = 16,
  IDX_CURLMOPT_SOCKETDATA = 10002,
  IDX_CURLMOPT_SOCKETFUNCTION = 20001,
  IDX_CURLMOPT_TIMERDATA = 10005,
  IDX_CURLMOPT_TIMERFUNCTION = 20004,

  // Options of a pool of connections.
  IDX_CURLSHOPT_SHARE = 1,
  IDX_CURL_LOCK_DATA_CONNECT = 5,

  // Facts about a transfer, and the kind of a debug text.
  IDX_CURLINFO_HTTP_CONNECTCODE = 2097174,
  IDX_CURLINFO_REQUEST_SIZE = 2097164,
  IDX_CURLINFO_TEXT = 0,

  // Results of a transfer.
  IDX_CURLE_ABORTED_BY_CALLBACK = 42,
  IDX_CURLE_COULDNT_CONNECT = 7,
  IDX_CURLE_COULDNT_RESOLVE_HOST = 6,
  IDX_CURLE_COULDNT_RESOLVE_PROXY = 5,
  IDX_CURLE_FILESIZE_EXCEEDED = 63,
  IDX_CURLE_GOT_NOTHING = 52,
  IDX_CURLE_HTTP2 = 16,
  IDX_CURLE_OPERATION_TIMEDOUT = 28,
  IDX_CURLE_PARTIAL_FILE = 18,
  IDX_CURLE_PEER_FAILED_VERIFICATION = 60,
  IDX_CURLE_PROXY = 97,
  IDX_CURLE_RECV_ERROR = 56,
  IDX_CURLE_SEND_ERROR = 55,
  IDX_CURLE_SSL_CACERT_BADFILE = 77,
  IDX_CURLE_SSL_CERTPROBLEM = 58,
  IDX_CURLE_SSL_CIPHER = 59,
  IDX_CURLE_SSL_CLIENTCERT = 98,
  IDX_CURLE_SSL_CONNECT_ERROR = 35,
  IDX_CURLE_SSL_CRL_BADFILE = 82,
  IDX_CURLE_SSL_ENGINE_NOTFOUND = 53,
  IDX_CURLE_SSL_INVALIDCERTSTATUS = 91,
  IDX_CURLE_SSL_ISSUER_ERROR = 83,
  IDX_CURLE_UNSUPPORTED_PROTOCOL = 1,
  IDX_CURLE_URL_MALFORMAT = 3,
  IDX_CURLE_USE_SSL_FAILED = 64,
  IDX_CURLE_WEIRD_SERVER_REPLY = 8,

  // Other values.
  IDX_CURLMSG_DONE = 1,
  IDX_CURLPROTO_HTTP = 1,
  IDX_CURLPROTO_HTTPS = 2,
  IDX_CURL_CSELECT_ERR = 4,
  IDX_CURL_CSELECT_IN = 1,
  IDX_CURL_CSELECT_OUT = 2,
  IDX_CURL_ERROR_SIZE = 256,
  IDX_CURL_GLOBAL_DEFAULT = 3,
  IDX_CURL_HTTP_VERSION_2TLS = 4,
  IDX_CURL_POLL_IN = 1,
  IDX_CURL_POLL_OUT = 2,
  IDX_CURL_PREREQFUNC_ABORT = 1,
  IDX_CURL_PREREQFUNC_OK = 0,
  IDX_CURL_SOCKET_TIMEOUT = -1,
  IDX_CURL_SSLVERSION_TLSv1_2 = 6,
  IDX_CURL_VERSION_HTTP2 = 65536,
};

/// An address to which libcurl wants to connect (`struct curl_sockaddr`).
struct IDXSocketAddress {
  int family;
  int socketType;
  int protocol;
  unsigned int length;
  /// A `struct sockaddr_in` or `struct sockaddr_in6`; libcurl has room for any kind.
  unsigned char bytes[28];
};

/// What libcurl says of a transfer that is complete (`CURLMsg`).
struct IDXTransferMessage {
  int kind;
  void *transfer;
  union {
    void *other;
    int result;
  } data;
};

/// The start of what libcurl says of itself (`curl_version_info_data`).
struct IDXLibraryVersion {
  int age;
  const char *version;
  unsigned int number;
  const char *host;
  int features;
  const char *tls;
};

// Swift cannot call functions with a variable number of arguments. The first argument is such a function of the
// library: `curl_easy_setopt`, `curl_multi_setopt`, `curl_share_setopt` or `curl_easy_getinfo`.

int IDXCurlSetLong(void *function, void *handle, int option, long value);
int IDXCurlSetOffset(void *function, void *handle, int option, long long value);
int IDXCurlSetPointer(void *function, void *handle, int option, const void *value);
int IDXCurlGetLong(void *function, void *handle, int fact, long *value);

// At the end of the process, TLS libraries free what other threads may still use. These functions exist on Linux.

/// Waits until no thread uses libcurl, at most three seconds. After that, IDXUseBegin never returns.
void IDXUseStop(void);
/// Calls IDXUseStop at the end of the process.
///
/// Call it after libcurl has been initialized: what was registered last for the end of the process comes first.
void IDXUseStopsAtExit(void);
/// Begins to use libcurl, in a thread that does not use it yet.
void IDXUseBegin(void);
/// Ends what IDXUseBegin began; for a while, in a thread that goes on.
void IDXUseEnd(void);
/// Ends what IDXUseBegin began when the thread has ended; call it last.
///
/// At its end, a thread frees what TLS libraries keep for it, with locks that the end of the process frees.
void IDXUseEndWithThread(void);

// The module Glibc of Swift does not contain epoll and eventfd. These functions exist on Linux.

/// A file descriptor that is ready.
struct IDXReadyDescriptor {
  int descriptor;
  int canRead;
  int canWrite;
  int hasFailed;
};

/// Creates a set of file descriptors to wait for; -1 if that fails.
int IDXWaitSetCreate(void);
/// Adds a file descriptor, changes what to wait for, or removes it if there is nothing to wait for.
int IDXWaitSetUpdate(int set, int descriptor, int read, int write);
/// Waits for at most this many milliseconds, or without end if it is -1; returns the number of ready ones.
int IDXWaitSetWait(int set, struct IDXReadyDescriptor *ready, int count, int milliseconds);
/// Creates a file descriptor that is readable after 8 bytes were written, until they are read.
int IDXWakeUpCreate(void);

#endif
