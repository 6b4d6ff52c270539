// Loaded before a program (LD_PRELOAD): its threads need long to free what OpenSSL keeps for them. If the process
// ends meanwhile, the exit status is 99; if no thread frees anything, it is 98.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*freeState)(void *);
static atomic_int freeing;

static void freeSlowly(void *state) {
  freeing++;
  usleep(300000);
  freeState(state);
  freeing--;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  int (*create)(pthread_key_t *, void (*)(void *)) = dlsym(RTLD_NEXT, "pthread_key_create");
  Dl_info place;
  int isOfOpenSSL = destructor && dladdr((void *)destructor, &place) && strstr(place.dli_fname, "libcrypto");
  if (!isOfOpenSSL || freeState) return create(key, destructor);
  freeState = destructor;
  return create(key, freeSlowly);
}

void exit(int status) {
  for (int tries = 0; !freeing; tries++) {
    if (tries == 5000) _exit(98);
    usleep(1000);
  }
  ((void (*)(int))dlsym(RTLD_NEXT, "exit"))(status);
  __builtin_unreachable();
}

// After OpenSSL has freed what is of the whole process.
__attribute__((destructor)) static void check(void) {
  if (freeing) _exit(99);
}
