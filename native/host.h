/* Shared by the C files of kolla-core. src/engine/runtime/sys.ts documents each call. */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "quickjs.h"

#define UNUSED __attribute__((unused))
/* All calls have the same signature, even if they use only a part of it. */
#define CALL(name)                                                                    \
  static JSValue name(JSContext *c UNUSED, JSValueConst self UNUSED, int argc UNUSED, \
                      JSValueConst *argv UNUSED)

/* A row of a table of calls. QuickJS fills up missing arguments with undefined, so argv[n - 1] is
 * always present. */
#define ROW(name, arguments) JS_CFUNC_DEF(#name, arguments, sys_##name)

/* Linked-in bytecode, compiled by native/compile.c: a module, or a script that is a function of
   `sys`. */
struct asset {
  const char *name;
  const uint8_t *bytes;
  size_t length;
};
extern const struct asset assets[];

/* What a name of the binary runs. Without has_network, as for names that sudo may raise, `sys` has
   none of the calls of native/network.c: build/core/make.ts. */
struct command {
  const char *name, *module;
  bool has_network;
};
extern const struct command commands[];

int32_t int_of(JSContext *c, JSValueConst value);
double double_of(JSContext *c, JSValueConst value);
double milliseconds(struct timespec time);
double now(clockid_t clock);
/* The result of a call, or minus errno: the TypeScript caller creates the error. */
JSValue result(JSContext *c, int64_t value);
/* A file's name as its bytes, to be freed with js_free; NULL with errno if it is invalid. Lone
   surrogates U+DC80 to U+DCFF stand for invalid UTF-8 bytes (Python's surrogateescape). */
char *bytes_of(JSContext *c, JSValueConst value);
/* The strings of an array, terminated by NULL; to be freed with free_words. */
char **words_of(JSContext *c, JSValueConst array);
void free_words(JSContext *c, char **words);
/* Bytes of an ArrayBuffer; NULL with an exception if it is too small. */
void *bytes_at(JSContext *c, JSValueConst buffer, size_t least);
/* The range [offset, offset + length) of a Uint8Array; NULL if it is out of bounds. */
uint8_t *piece_of(JSContext *c, JSValueConst array, JSValueConst offset, JSValueConst length);

/* Calls that names which sudo may raise do not have: native/network.c. */
void add_network_calls(JSContext *c, JSValueConst sys);

extern const JSCFunctionListEntry file_calls[], process_calls[], socket_calls[], text_calls[],
    tls_calls[], inotify_calls[], digest_calls[], deflate_calls[], log_calls[], log_event_calls[];
extern const int file_calls_count, process_calls_count, socket_calls_count, text_calls_count,
    tls_calls_count, inotify_calls_count, digest_calls_count, deflate_calls_count, log_calls_count,
    log_event_calls_count;

#endif
