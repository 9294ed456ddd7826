/* File and directory calls, relative to an open directory. Absolute paths ignore it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"

/* `act` with `path`, the bytes of argv[i]. */
#define WITH_PATH(i, act)                 \
  char *path = bytes_of(c, argv[i]);      \
  if (path == NULL) return result(c, -1); \
  JSValue done = result(c, act);          \
  js_free(c, path);                       \
  return done

CALL(sys_open) {
  WITH_PATH(1, openat(int_of(c, argv[0]), path, int_of(c, argv[2]) | O_CLOEXEC,
                      (mode_t)int_of(c, argv[3])));
}

CALL(sys_close) { return result(c, close(int_of(c, argv[0]))); }
CALL(sys_sync) { return result(c, fsync(int_of(c, argv[0]))); }

CALL(sys_truncate) { return result(c, ftruncate(int_of(c, argv[0]), double_of(c, argv[1]))); }

/* A negative offset means the file's own position. */
static JSValue transfer(JSContext *c, JSValueConst *argv, bool writes) {
  uint8_t *piece = piece_of(c, argv[1], argv[2], argv[3]);
  if (piece == NULL) return result(c, -1);
  int fd = int_of(c, argv[0]);
  size_t length = (size_t)double_of(c, argv[3]);
  off_t at = (off_t)double_of(c, argv[4]);
  if (at < 0) return result(c, writes ? write(fd, piece, length) : read(fd, piece, length));
  return result(c, writes ? pwrite(fd, piece, length, at) : pread(fd, piece, length, at));
}

CALL(sys_read) { return transfer(c, argv, false); }
CALL(sys_write) { return transfer(c, argv, true); }

/* Returns an array of numbers: object fields would take the engine three times as long. */
CALL(sys_stat) {
  struct stat at;
  char *path = bytes_of(c, argv[1]);
  int status = path ? fstatat(int_of(c, argv[0]), path, &at, int_of(c, argv[2])) : -1;
  JSValue failed = result(c, status);
  js_free(c, path);
  if (status < 0) return failed;
  double atime = milliseconds(at.st_atim), mtime = milliseconds(at.st_mtim);
  double found[] = {at.st_dev,   at.st_ino,  at.st_mode, at.st_nlink, at.st_uid,
                    at.st_gid,   at.st_size, atime,      mtime,       milliseconds(at.st_ctim),
                    at.st_blocks};
  JSValue values[sizeof found / sizeof *found];
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) values[i] = JS_NewNumber(c, found[i]);
  return JS_NewArrayFrom(c, sizeof found / sizeof *found, values);
}

CALL(sys_readlink) {
  size_t room;
  char *into = (char *)JS_GetUint8Array(c, &room, argv[2]);
  if (into == NULL) return JS_EXCEPTION;
  WITH_PATH(1, readlinkat(int_of(c, argv[0]), path, into, room));
}

/* The next entries of a directory, as struct linux_dirent64. */
CALL(sys_entries) {
  size_t room;
  uint8_t *into = JS_GetUint8Array(c, &room, argv[1]);
  return into ? result(c, syscall(SYS_getdents64, int_of(c, argv[0]), into, room)) : JS_EXCEPTION;
}

CALL(sys_mkdir) { WITH_PATH(1, mkdirat(int_of(c, argv[0]), path, (mode_t)int_of(c, argv[2]))); }
CALL(sys_unlink) { WITH_PATH(1, unlinkat(int_of(c, argv[0]), path, int_of(c, argv[2]))); }
CALL(sys_access) { WITH_PATH(1, faccessat(int_of(c, argv[0]), path, int_of(c, argv[2]), 0)); }

CALL(sys_chmod) {
  int fd = int_of(c, argv[0]);
  mode_t mode = (mode_t)int_of(c, argv[2]);
  int flags = int_of(c, argv[3]);
  WITH_PATH(1, *path || flags ? fchmodat(fd, path, mode, flags) : fchmod(fd, mode));
}

CALL(sys_chown) {
  WITH_PATH(1, fchownat(int_of(c, argv[0]), path, (uid_t)int_of(c, argv[2]),
                        (gid_t)int_of(c, argv[3]), int_of(c, argv[4])));
}

CALL(sys_rename) {
  char *from = bytes_of(c, argv[1]), *to = bytes_of(c, argv[3]);
  JSValue done =
      result(c, from && to ? renameat(int_of(c, argv[0]), from, int_of(c, argv[2]), to) : -1);
  js_free(c, from);
  js_free(c, to);
  return done;
}

CALL(sys_symlink) {
  char *target = bytes_of(c, argv[0]), *path = bytes_of(c, argv[2]);
  JSValue done = result(c, target && path ? symlinkat(target, int_of(c, argv[1]), path) : -1);
  js_free(c, target);
  js_free(c, path);
  return done;
}

/* Two struct timespec: access and modification time. */
CALL(sys_setTimes) {
  struct timespec *times = bytes_at(c, argv[1], 2 * sizeof *times);
  return times == NULL ? JS_EXCEPTION : result(c, futimens(int_of(c, argv[0]), times));
}

const JSCFunctionListEntry file_calls[] = {
    ROW(open, 4),    ROW(close, 1),    ROW(sync, 1),     ROW(truncate, 2), ROW(read, 5),
    ROW(write, 5),   ROW(stat, 3),     ROW(readlink, 3), ROW(entries, 2),  ROW(mkdir, 3),
    ROW(unlink, 3),  ROW(access, 3),   ROW(chmod, 4),    ROW(chown, 5),    ROW(rename, 4),
    ROW(symlink, 3), ROW(setTimes, 2),
};
const int file_calls_count = sizeof file_calls / sizeof *file_calls;
