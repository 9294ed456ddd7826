/* Changes of files, as struct inotify_event on a descriptor. */
#include <sys/inotify.h>

#include "host.h"

CALL(sys_inotify) { return result(c, inotify_init1(IN_NONBLOCK | IN_CLOEXEC)); }

CALL(sys_addWatch) {
  char *path = bytes_of(c, argv[1]);
  uint32_t events = (uint32_t)int_of(c, argv[2]);
  JSValue done = result(c, path ? inotify_add_watch(int_of(c, argv[0]), path, events) : -1);
  js_free(c, path);
  return done;
}

CALL(sys_removeWatch) {
  return result(c, inotify_rm_watch(int_of(c, argv[0]), int_of(c, argv[1])));
}

const JSCFunctionListEntry inotify_calls[] = {
    ROW(inotify, 0),
    ROW(addWatch, 3),
    ROW(removeWatch, 2),
};
const int inotify_calls_count = sizeof inotify_calls / sizeof *inotify_calls;
