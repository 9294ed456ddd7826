/* Conversions between the engine's values and C. */
#include <errno.h>
#include <string.h>

#include "host.h"

int32_t int_of(JSContext *c, JSValueConst value) {
  int32_t number = 0;
  JS_ToInt32(c, &number, value);
  return number;
}

double double_of(JSContext *c, JSValueConst value) {
  double number = 0;
  JS_ToFloat64(c, &number, value);
  return number;
}

double milliseconds(struct timespec time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return milliseconds(time);
}

JSValue result(JSContext *c, int64_t value) { return JS_NewInt64(c, value < 0 ? -errno : value); }

/* U+DC80 to U+DCFF come as the three bytes ED B2 80 to ED B3 BF. */
static size_t unescape(char *text, size_t length) {
  size_t to = 0;
  for (size_t from = 0; from < length; to++) {
    const uint8_t *at = (const uint8_t *)text + from;
    bool is_byte = length - from >= 3 && at[0] == 0xed && (at[1] == 0xb2 || at[1] == 0xb3);
    text[to] = is_byte ? (char)(((at[1] & 3) << 6) | (at[2] & 0x3f)) : text[from];
    from += is_byte ? 3 : 1;
  }
  text[to] = 0;
  return to;
}

/* A string's bytes, to be freed with js_free; NULL with errno. */
static char *unescaped(JSContext *c, JSValueConst value, size_t *length) {
  const char *text = JS_ToCStringLen(c, length, value);
  char *copy = text == NULL ? NULL : js_malloc(c, *length + 1);
  errno = text == NULL ? EINVAL : ENOMEM;
  if (copy != NULL) memcpy(copy, text, *length);
  if (copy != NULL) *length = unescape(copy, *length);
  JS_FreeCString(c, text);
  return copy;
}

char *bytes_of(JSContext *c, JSValueConst value) {
  size_t length;
  char *bytes = unescaped(c, value, &length);
  if (bytes == NULL || strlen(bytes) == length) return bytes;
  js_free(c, bytes);
  errno = EINVAL;
  return NULL;
}

static bool is_utf8(const uint8_t *at, size_t left) {
  for (size_t length; left > 0; at += length, left -= length) {
    uint8_t lead = at[0];
    length = lead < 0x80 ? 1 : 2 + (lead >= 0xe0) + (lead >= 0xf0);
    if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return false;
    if (length > left) return false;
    /* Rejects overlong forms, surrogates, and code points above U+10FFFF. */
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (length > 1 && (at[1] < low || at[1] > high)) return false;
    for (size_t i = 2; i < length; i++)
      if ((at[i] & 0xc0) != 0x80) return false;
  }
  return true;
}

char **words_of(JSContext *c, JSValueConst array) {
  int64_t count = 0;
  if (JS_GetLength(c, array, &count) < 0 || count > 1 << 20) count = -1;
  errno = count < 0 ? E2BIG : ENOMEM;
  char **words = count < 0 ? NULL : js_mallocz(c, ((size_t)count + 1) * sizeof *words);
  for (int64_t i = 0; words != NULL && i < count; i++) {
    JSValue word = JS_GetPropertyInt64(c, array, i);
    words[i] = bytes_of(c, word);
    JS_FreeValue(c, word);
    if (words[i] != NULL) continue;
    free_words(c, words);
    return NULL;
  }
  return words;
}

void free_words(JSContext *c, char **words) {
  for (char **word = words; word != NULL && *word != NULL; word++) js_free(c, *word);
  js_free(c, words);
}

uint8_t *piece_of(JSContext *c, JSValueConst array, JSValueConst offset, JSValueConst length) {
  size_t whole;
  uint8_t *bytes = JS_GetUint8Array(c, &whole, array);
  double from = double_of(c, offset), count = double_of(c, length);
  if (bytes != NULL && from >= 0 && count >= 0 && from + count <= (double)whole)
    return bytes + (size_t)from;
  JS_FreeValue(c, JS_GetException(c));
  errno = EFAULT;
  return NULL;
}

void *bytes_at(JSContext *c, JSValueConst buffer, size_t least) {
  size_t length;
  uint8_t *bytes = JS_GetArrayBuffer(c, &length, buffer);
  if (bytes == NULL || length >= least) return bytes;
  JS_ThrowRangeError(c, "no room for %zu bytes", least);
  return NULL;
}

/* Undefined if it is not UTF-8. */
CALL(sys_decode) {
  uint8_t *bytes = piece_of(c, argv[0], argv[1], argv[2]);
  if (bytes == NULL) return result(c, -1);
  size_t length = (size_t)double_of(c, argv[2]);
  return is_utf8(bytes, length) ? JS_NewStringLen(c, (const char *)bytes, length) : JS_UNDEFINED;
}

CALL(sys_encode) {
  size_t length;
  char *text = unescaped(c, argv[0], &length);
  if (text == NULL) return JS_EXCEPTION;
  JSValue bytes = JS_NewArrayBufferCopy(c, (uint8_t *)text, length);
  js_free(c, text);
  return bytes;
}

CALL(sys_compare) {
  size_t one, other;
  uint8_t *a = JS_GetUint8Array(c, &one, argv[0]), *b = JS_GetUint8Array(c, &other, argv[1]);
  if (a == NULL || b == NULL) return JS_EXCEPTION;
  /* Word by word: this C library's memcmp goes byte by byte. */
  size_t length = one < other ? one : other, at = 0;
  while (length - at >= 8 && memcmp(a + at, b + at, 8) == 0) at += 8;
  int order = memcmp(a + at, b + at, length - at);
  return JS_NewInt32(c, order != 0 ? order : (one > other) - (one < other));
}

const JSCFunctionListEntry text_calls[] = {ROW(decode, 3), ROW(encode, 1), ROW(compare, 2)};
const int text_calls_count = sizeof text_calls / sizeof *text_calls;
