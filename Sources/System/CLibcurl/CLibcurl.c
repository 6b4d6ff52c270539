// For a lock that prefers writers.
#define _GNU_SOURCE
#include "CLibcurl.h"

typedef int (*VariadicFunction)(void *, int, ...);

int IDXCurlSetLong(void *function, void *handle, int option, long value) {
  return ((VariadicFunction)function)(handle, option, value);
}

int IDXCurlSetOffset(void *function, void *handle, int option, long long value) {
  return ((VariadicFunction)function)(handle, option, value);
}

int IDXCurlSetPointer(void *function, void *handle, int option, const void *value) {
  return ((VariadicFunction)function)(handle, option, value);
}

int IDXCurlGetLong(void *function, void *handle, int fact, long *value) {
  return ((VariadicFunction)function)(handle, fact, value);
}

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t use = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t use = PTHREAD_RWLOCK_INITIALIZER;
#endif

// A thread may wait for a name (before libcurl 7.87), and a child process has none that could unlock it.
static void lockForever(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 3;
  pthread_rwlock_timedwrlock(&use, &end);
}

void IDXUseStop(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, lockForever);
}

static void registerStop(void) { atexit(IDXUseStop); }

void IDXUseStopsAtExit(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, registerStop);
}

void IDXUseBegin(void) { pthread_rwlock_rdlock(&use); }

void IDXUseEnd(void) { pthread_rwlock_unlock(&use); }

// At the end of a thread, the system calls in rounds what frees its values: a value may be set again meanwhile.
// The lock is released after all others, but for the thread sanitizer, which uses the last round.
static const long rounds = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
static pthread_key_t roundsLeft;

static void endRound(void *left) {
  if ((long)left > 1 && pthread_setspecific(roundsLeft, (void *)((long)left - 1)) == 0) return;
  IDXUseEnd();
}

static void createRounds(void) {
  if (pthread_key_create(&roundsLeft, endRound) != 0) abort();
}

void IDXUseEndWithThread(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, createRounds);
  if (pthread_setspecific(roundsLeft, (void *)rounds) != 0) IDXUseEnd();
}

int IDXWaitSetCreate(void) { return epoll_create1(EPOLL_CLOEXEC); }

int IDXWakeUpCreate(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int IDXWaitSetUpdate(int set, int descriptor, int read, int write) {
  struct epoll_event event = {
      .events = (read ? EPOLLIN : 0u) | (write ? EPOLLOUT : 0u),
      .data.fd = descriptor,
  };
  if (!read && !write) return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
  return errno == EEXIST ? epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) : -1;
}

int IDXWaitSetWait(int set, struct IDXReadyDescriptor *ready, int count, int milliseconds) {
  struct epoll_event events[64];
  int found = epoll_wait(set, events, count < 64 ? count : 64, milliseconds);
  for (int i = 0; i < found; i++) {
    ready[i].descriptor = events[i].data.fd;
    ready[i].canRead = (events[i].events & EPOLLIN) != 0;
    ready[i].canWrite = (events[i].events & EPOLLOUT) != 0;
    ready[i].hasFailed = (events[i].events & (EPOLLERR | EPOLLHUP)) != 0;
  }
  return found;
}

#endif
