/* gzip by libdeflate, of whole buffers. A compressor has 0.3 MB, so none is kept. */
#include <libdeflate.h>
#include <stdlib.h>

#include "host.h"

#define FASTEST 1
/* A stored block, the most that one step of libdeflate writes: without room for it, the step
   writes nothing. */
#define STEP_MAX 65535

/* A size of 0 frees. */
static void *resize(JSRuntime *runtime UNUSED, void *opaque UNUSED, void *bytes, size_t size) {
  if (size > 0) return realloc(bytes, size);
  free(bytes);
  return NULL;
}

/* The engine's from now on, without a copy. */
static JSValue owned(JSContext *c, uint8_t *bytes, size_t length) {
  uint8_t *fitting = realloc(bytes, length);
  if (fitting != NULL) bytes = fitting;
  JSValue value = JS_NewArrayBuffer(c, bytes, length, 0, resize, NULL, false);
  if (JS_IsException(value)) free(bytes);
  return value;
}

CALL(sys_gzip) {
  size_t length;
  uint8_t *bytes = JS_GetUint8Array(c, &length, argv[0]);
  if (bytes == NULL) return JS_EXCEPTION;
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(FASTEST);
  if (compressor == NULL) return JS_UNDEFINED;
  size_t room = libdeflate_gzip_compress_bound(compressor, length);
  uint8_t *packed = malloc(room);
  size_t size =
      packed == NULL ? 0 : libdeflate_gzip_compress(compressor, bytes, length, packed, room);
  libdeflate_free_compressor(compressor);
  if (size > 0) return owned(c, packed, size);
  free(packed);
  return JS_UNDEFINED;
}

/* How much of the content was written before libdeflate stopped, -1 if that was damaged: of a
   member that does not fit, at least all but the room for one step. */
static int64_t unpack(const uint8_t *from, size_t left, uint8_t *into, size_t most) {
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  if (decompressor == NULL) return -1;
  int64_t size = -1;
  size_t written = 0, read, more;
  /* gzip files joined are one. */
  while (left > 0 && written < most) {
    enum libdeflate_result result = libdeflate_gzip_decompress_ex(
        decompressor, from, left, into + written, most + STEP_MAX - written, &read, &more);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) written = most;
    if (result == LIBDEFLATE_SUCCESS) written += more;
    if (result == LIBDEFLATE_SUCCESS || result == LIBDEFLATE_INSUFFICIENT_SPACE)
      size = (int64_t)written;
    if (result != LIBDEFLATE_SUCCESS) break;
    from += read;
    left -= read;
  }
  libdeflate_free_decompressor(decompressor);
  return size < (int64_t)most ? size : (int64_t)most;
}

CALL(sys_gunzip) {
  size_t length;
  uint8_t *start = JS_GetUint8Array(c, &length, argv[0]);
  int32_t most = int_of(c, argv[1]);
  if (start == NULL) return JS_EXCEPTION;
  if (most <= 0) return JS_UNDEFINED;
  /* Zeroed, so that no memory of ours can be in the result. */
  uint8_t *content = calloc(1, (size_t)most + STEP_MAX);
  int64_t size = content == NULL ? -1 : unpack(start, length, content, (size_t)most);
  JSValue value = size < 0 ? JS_UNDEFINED : JS_NewArrayBufferCopy(c, content, (size_t)size);
  free(content);
  return value;
}

const JSCFunctionListEntry deflate_calls[] = {
    ROW(gzip, 1),
    ROW(gunzip, 2),
};
const int deflate_calls_count = sizeof deflate_calls / sizeof *deflate_calls;
