/* Calls of `sys` for the open events of a log. */
#include <math.h>

#include "log-calls.h"

/* An event's lines in one buffer. */
static JSValue text_of(JSContext *c, const struct log *log, const struct event *event) {
  uint8_t *text = js_malloc(c, event->bytes + 1);
  if (text == NULL) return JS_EXCEPTION;
  JSValue buffer = JS_NewArrayBufferCopy(c, text, (size_t)(copy_text(log, event, text) - text));
  js_free(c, text);
  return buffer;
}

static JSValue taken(JSContext *c, const struct log *log, uint32_t slot) {
  const struct event *event = &log->events[slot];
  double numbers[] = {event->offset,        event->end_offset, event->end_ms,
                      event->match.process, event->ms,         event->is_dated,
                      event->lines,         event->held,       log->last == (int32_t)slot};
  JSValue array = JS_NewArray(c);
  uint32_t count = sizeof numbers / sizeof *numbers;
  for (uint32_t i = 0; i < count; i++)
    JS_SetPropertyUint32(c, array, i, JS_NewFloat64(c, numbers[i]));
  JS_SetPropertyUint32(c, array, count, text_of(c, log, event));
  return array;
}

/* The open events, which are forgotten. The chunk must be the last scan's, unless they are kept. */
CALL(sys_logTake) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  struct bytes chunk = {NULL, NULL};
  if (log == NULL || (!JS_IsUndefined(argv[1]) && !is_text(c, argv[1], &chunk)))
    return JS_EXCEPTION;
  if (log->count > 0 && log->chunk != NULL &&
      (log->chunk != chunk.at || log->chunk_length > length_of(chunk)))
    return JS_ThrowRangeError(c, "the chunk of a log is another one");
  JSValue events = JS_NewArray(c);
  for (uint32_t i = 0; i < log->count; i++) JS_SetPropertyUint32(c, events, i, taken(c, log, i));
  forget_events(log);
  return events;
}

/* Copies the open events out of the chunk. Returns the size of their lines. */
CALL(sys_logKeep) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  if (log == NULL) return JS_EXCEPTION;
  if (!keep_events(log)) return JS_ThrowOutOfMemory(c);
  double held = 0;
  for (uint32_t i = 0; i < log->count; i++) held += log->events[i].held;
  return JS_NewFloat64(c, held);
}

/* The smallest offset at which an open event starts; NaN if none is open. */
CALL(sys_logKeptFrom) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  if (log == NULL) return JS_EXCEPTION;
  double first = NAN;
  for (uint32_t i = 0; i < log->count; i++) first = fmin(first, log->events[i].offset);
  return JS_NewFloat64(c, first);
}

/* The digest of the first line, as in ids. */
CALL(sys_logDigest) {
  struct bytes line;
  if (!is_text(c, argv[0], &line)) return JS_EXCEPTION;
  uint8_t digits[DIGEST_DIGITS];
  struct writer writer = {digits, digits + DIGEST_DIGITS, false};
  put_digest(&writer, first_line(line));
  return JS_NewStringLen(c, (const char *)digits, DIGEST_DIGITS);
}

const JSCFunctionListEntry log_event_calls[] = {
    ROW(logTake, 2),
    ROW(logKeep, 1),
    ROW(logKeptFrom, 1),
    ROW(logDigest, 1),
};
const int log_event_calls_count = sizeof log_event_calls / sizeof *log_event_calls;
