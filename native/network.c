/* The calls that no name which sudo may raise has: has_network. Those of this file, and other
 * files' tables. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host.h"

CALL(sys_link) {
  char *from = bytes_of(c, argv[0]), *to = bytes_of(c, argv[1]);
  JSValue done = result(c, from && to ? linkat(AT_FDCWD, from, AT_FDCWD, to, 0) : -1);
  js_free(c, from);
  js_free(c, to);
  return done;
}

/* Frees the blocks of a range, which then reads as zeros. */
CALL(sys_punch) {
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  off_t at = (off_t)double_of(c, argv[1]), length = (off_t)double_of(c, argv[2]);
  return result(c, fallocate(int_of(c, argv[0]), mode, at, length));
}

enum { SYNC_STACK = 32 * 1024 };

struct syncing {
  int fd, ended;
};

static void *sync_aside(void *given) {
  struct syncing own = *(struct syncing *)given;
  free(given);
  uint64_t value = 1 + (uint64_t)(fsync(own.fd) < 0 ? errno : 0);
  close(own.fd);
  /* Whoever reads it then closes the descriptor, which has room for one value. */
  while (write(own.ended, &value, sizeof value) < 0 && errno == EINTR);
  return NULL;
}

/* Starts a thread, which takes no signals. */
static int start_aside(void *(*act)(void *), void *given) {
  pthread_attr_t how;
  pthread_t thread;
  sigset_t all, before;
  int failed = pthread_attr_init(&how);
  if (failed != 0) return failed;
  pthread_attr_setstacksize(&how, SYNC_STACK);
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  failed = pthread_create(&thread, &how, act, given);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&how);
  return failed;
}

/* fsync(2) in a thread, since a busy disk takes seconds. Returns a descriptor that then has a
 * 64-bit number: 1 and the error's. */
CALL(sys_syncAside) {
  struct syncing *given = malloc(sizeof *given);
  if (given == NULL) return JS_ThrowOutOfMemory(c);
  *given = (struct syncing){.fd = fcntl(int_of(c, argv[0]), F_DUPFD_CLOEXEC, 3),
                            .ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  int ended = given->ended;
  if (given->fd >= 0 && ended >= 0) {
    int failed = start_aside(sync_aside, given);
    if (failed == 0) return result(c, ended);
    errno = failed;
  }
  int reason = errno;
  if (given->fd >= 0) close(given->fd);
  if (ended >= 0) close(ended);
  free(given);
  errno = reason;
  return result(c, -1);
}

/* Raises the limit of open files to the hard one, which is returned. */
CALL(sys_raiseOpenFiles) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) < 0) return result(c, -1);
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) < 0) return result(c, -1);
  return JS_NewFloat64(c, (double)files.rlim_cur);
}

static const JSCFunctionListEntry disk_calls[] = {
    ROW(link, 2),
    ROW(punch, 3),
    ROW(syncAside, 1),
    ROW(raiseOpenFiles, 0),
};

void add_network_calls(JSContext *c, JSValueConst sys) {
  JS_SetPropertyFunctionList(c, sys, disk_calls, sizeof disk_calls / sizeof *disk_calls);
  JS_SetPropertyFunctionList(c, sys, socket_calls, socket_calls_count);
  JS_SetPropertyFunctionList(c, sys, tls_calls, tls_calls_count);
  JS_SetPropertyFunctionList(c, sys, inotify_calls, inotify_calls_count);
  JS_SetPropertyFunctionList(c, sys, digest_calls, digest_calls_count);
  JS_SetPropertyFunctionList(c, sys, deflate_calls, deflate_calls_count);
  JS_SetPropertyFunctionList(c, sys, log_calls, log_calls_count);
  JS_SetPropertyFunctionList(c, sys, log_event_calls, log_event_calls_count);
}
