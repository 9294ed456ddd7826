/* Calls of `sys` for tables of logs. Tables, zones and files are objects, freed with them. */
#include "log-calls.h"

#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "log.h"

#define MOST_OFFSET 9007199254740992.0

JSClassID file_class;
static JSClassID table_class, zone_class;

static void free_table(JSRuntime *runtime UNUSED, JSValueConst self) {
  forget_times();
  drop_table(JS_GetOpaque(self, table_class));
}

static void drop_zone(struct zone *zone) {
  if (zone != NULL && --zone->references == 0) free(zone);
}

static void free_zone(JSRuntime *runtime UNUSED, JSValueConst self) {
  forget_times();
  drop_zone(JS_GetOpaque(self, zone_class));
}

static void drop_file(struct log *log) {
  if (log == NULL) return;
  forget_times();
  forget_events(log);
  drop_table(log->table);
  drop_zone(log->zone);
  free(log);
}

static void free_file(JSRuntime *runtime UNUSED, JSValueConst self) {
  drop_file(JS_GetOpaque(self, file_class));
}

static bool has_classes(JSContext *c) {
  static const JSClassDef classes[] = {{.class_name = "LogTable", .finalizer = free_table},
                                       {.class_name = "LogZone", .finalizer = free_zone},
                                       {.class_name = "LogFile", .finalizer = free_file}};
  static JSClassID *const ids[] = {&table_class, &zone_class, &file_class};
  JSRuntime *runtime = JS_GetRuntime(c);
  for (int i = 0; i < 3; i++) {
    if (*ids[i] != 0) continue;
    if (JS_NewClass(runtime, JS_NewClassID(runtime, ids[i]), &classes[i]) < 0) return false;
  }
  return true;
}

/* An object that owns what it is given; an exception if that is NULL. */
static JSValue object_of(JSContext *c, JSClassID class, void *own) {
  JSValue object = JS_NewObjectClass(c, class);
  if (JS_IsException(object)) return object;
  JS_SetOpaque(object, own);
  return object;
}

bool is_text(JSContext *c, JSValueConst value, struct bytes *text) {
  size_t length;
  text->at = JS_GetUint8Array(c, &length, value);
  text->end = text->at + length;
  return text->at != NULL;
}

CALL(sys_logTable) {
  struct bytes bytes;
  if (!has_classes(c) || !is_text(c, argv[0], &bytes)) return JS_EXCEPTION;
  struct table *table = new_table(bytes);
  if (table == NULL) return JS_ThrowTypeError(c, "invalid table of a log format");
  JSValue object = object_of(c, table_class, table);
  if (JS_IsException(object)) drop_table(table);
  return object;
}

CALL(sys_logZone) {
  struct bytes bytes;
  if (!has_classes(c) || !is_text(c, argv[0], &bytes)) return JS_EXCEPTION;
  size_t count = length_of(bytes) / (2 * sizeof(double));
  if (count == 0) return JS_ThrowTypeError(c, "invalid zone");
  JSValue object = object_of(c, zone_class, NULL);
  struct zone *zone = malloc(sizeof *zone + count * 2 * sizeof(double));
  if (zone == NULL || JS_SetOpaque(object, zone) < 0) {
    free(zone);
    JS_FreeValue(c, object);
    return JS_ThrowOutOfMemory(c);
  }
  zone->references = 1, zone->count = count;
  memcpy(zone->pairs, bytes.at, count * 2 * sizeof(double));
  return object;
}

CALL(sys_logOpen) {
  struct bytes bytes;
  struct table *table = JS_GetOpaque2(c, argv[0], table_class);
  struct zone *zone = JS_GetOpaque2(c, argv[1], zone_class);
  if (table == NULL || zone == NULL || !is_text(c, argv[2], &bytes)) return JS_EXCEPTION;
  struct log *log = calloc(1, sizeof *log + length_of(bytes) + SPARE);
  if (log == NULL) return JS_ThrowOutOfMemory(c);
  memcpy(log->bytes, bytes.at, length_of(bytes));
  bytes = (struct bytes){log->bytes, log->bytes + length_of(bytes)};
  forget_events(log);
  bool is_valid = read_layout(&log->layout, table, bytes);
  JSValue object = is_valid ? object_of(c, file_class, log)
                            : JS_ThrowTypeError(c, "invalid layout of a log's documents");
  if (JS_IsException(object)) {
    free(log);
    return object;
  }
  log->table = table, log->zone = zone;
  table->references++, zone->references++;
  return object;
}

CALL(sys_logClose) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  if (log == NULL) return JS_EXCEPTION;
  JS_SetOpaque(argv[0], NULL);
  drop_file(log);
  return JS_UNDEFINED;
}

/* An event of the first line's place: whether it collects further lines. */
static bool is_collecting(const struct table *table, uint8_t place, struct bytes event) {
  const uint8_t *last = event.end;
  while (last > event.at && last[-1] != '\n') last--;
  return place == OPENS && (last == event.at || goes_on(table, (struct bytes){last, event.end}));
}

CALL(sys_logPlace) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  double *numbers = bytes_at(c, argv[1], 2 * sizeof *numbers);
  struct bytes line, event;
  if (log == NULL || numbers == NULL || !is_text(c, argv[2], &line)) return JS_EXCEPTION;
  struct dates dates = {log->zone, numbers[0], numbers[1]};
  struct match match;
  bool has_event = !JS_IsUndefined(argv[3]) && log->table->goes_on != NO_SET;
  uint8_t last = ALONE;
  if (has_event) {
    if (!is_text(c, argv[3], &event)) return JS_EXCEPTION;
    match_line(log->table, &dates, first_line(event), event.end, &match);
    last = match.place;
  }
  match_line(log->table, &dates, line, line.end, &match);
  numbers[0] = log->layout.is_raw ? 0 : match.process, numbers[1] = match.ms;
  if (log->layout.is_raw) return JS_NewInt32(c, ALONE);
  if (has_event && match.place == ALONE && is_collecting(log->table, last, event))
    return JS_NewInt32(c, FOLLOWS);
  return JS_NewInt32(c, match.place == OPENS ? BEGINS : match.place);
}

CALL(sys_logResumes) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  struct bytes event, line;
  if (log == NULL || !is_text(c, argv[1], &event) || !is_text(c, argv[2], &line))
    return JS_EXCEPTION;
  struct dates dates = {log->zone, 0, 0};
  struct match first, own;
  match_line(log->table, &dates, first_line(event), event.end, &first);
  match_line(log->table, &dates, line, line.end, &own);
  return JS_NewBool(c, is_same(log->table, &first, event.at, &own, line.at));
}

/* Where a request has room from an index; false if there is no such index. */
static bool has_writer(struct writer *writer, struct bytes into, double at) {
  if (!(at >= 0 && at <= (double)length_of(into))) return false;
  uint8_t *start = (uint8_t *)(uintptr_t)into.at;
  *writer = (struct writer){start + (size_t)at, start + length_of(into), false};
  return true;
}

CALL(sys_logDocument) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  struct bytes into, bytes;
  struct writer writer;
  double at = double_of(c, argv[2]);
  if (log == NULL || !is_text(c, argv[1], &into) || !is_text(c, argv[3], &bytes))
    return JS_EXCEPTION;
  if (!has_writer(&writer, into, at) || length_of(bytes) > UINT32_MAX - 1)
    return JS_ThrowRangeError(c, "no such index of a request");
  double ms = double_of(c, argv[4]);
  struct dates dates = {log->zone, NAN, ms};
  struct match match;
  struct text text = {bytes.end, {bytes.at, bytes.end, NO_PIECE, false}, NULL};
  match_line(log->table, &dates, first_line(bytes), bytes.end, &match);
  put_document(&writer, log, &text, &match, ms);
  return JS_NewInt64(c, writer.is_full ? 0 : writer.to - into.at);
}

/* The openings of an array of days and bytes; false with an exception if there is another thing. */
static bool has_openings(JSContext *c, JSValueConst days, struct openings *openings) {
  for (openings->count = 0; openings->count < OPENINGS; openings->count++) {
    struct opening *opening = &openings->days[openings->count];
    JSValue each = JS_GetPropertyUint32(c, days, (uint32_t)openings->count);
    if (JS_IsUndefined(each)) return true;
    JSValue day = JS_GetPropertyStr(c, each, "day"), bytes = JS_GetPropertyStr(c, each, "bytes");
    opening->day = double_of(c, day);
    bool is_found = is_text(c, bytes, &opening->bytes);
    JS_FreeValue(c, day);
    JS_FreeValue(c, bytes);
    JS_FreeValue(c, each);
    if (!is_found) return false;
  }
  return true;
}

/* Whether the numbers are within what they count, and the chunk is that of the open events. */
static bool is_block_valid(const struct log *log, const struct block *block, size_t size,
                           struct bytes chunk) {
  double length = (double)length_of(chunk);
  if (!(block->at >= 0 && block->at <= block->end && block->end <= length)) return false;
  if (!(block->base >= 0 && block->base + length <= MOST_OFFSET) || length >= UINT32_MAX)
    return false;
  if (!(block->held >= 0 && block->held <= (double)((size - sizeof *block) / sizeof(double))))
    return false;
  /* Events that are kept need no chunk. */
  if (log->count == 0 || log->chunk == NULL) return true;
  return log->chunk == chunk.at && log->chunk_length <= length_of(chunk) &&
         log->base == block->base;
}

static void clear_results(struct block *block) {
  block->documents = block->lines = block->is_dated = block->is_undated_later = 0;
  block->end_offset = block->end_ms = block->stop_at = block->taken = 0;
  block->first_offset = MOST_OFFSET, block->undated_offset = -1;
}

CALL(sys_logScan) {
  struct log *log = JS_GetOpaque2(c, argv[0], file_class);
  size_t size = 0, length = 0;
  struct block *block = (struct block *)JS_GetArrayBuffer(c, &size, argv[1]);
  struct bytes chunk, into;
  struct openings openings;
  struct writer writer;
  if (log == NULL || block == NULL || !is_text(c, argv[2], &chunk) || !is_text(c, argv[3], &into))
    return JS_EXCEPTION;
  if (size < sizeof *block || !is_block_valid(log, block, size, chunk) ||
      !has_writer(&writer, into, block->filled))
    return JS_ThrowRangeError(c, "no such block of a log");
  bool has_days = !JS_IsUndefined(argv[4]);
  if (has_days && !has_openings(c, argv[4], &openings)) return JS_EXCEPTION;
  const char *name = JS_ToCStringLen(c, &length, argv[5]);
  if (name == NULL) return JS_EXCEPTION;
  const uint8_t *start = (const uint8_t *)name;
  openings.name = (struct bytes){start, start + length};
  clear_results(block);
  int stop = scan(log, block, chunk.at, length_of(chunk), has_days ? &openings : NULL, &writer);
  JS_FreeCString(c, name);
  block->filled = (double)(writer.to - into.at);
  log->chunk = chunk.at, log->base = block->base, log->chunk_length = (size_t)block->at;
  return stop < 0 ? JS_ThrowOutOfMemory(c) : JS_NewInt32(c, stop);
}

const JSCFunctionListEntry log_calls[] = {
    ROW(logTable, 1), ROW(logZone, 1), ROW(logOpen, 3),    ROW(logClose, 1),
    ROW(logPlace, 4), ROW(logScan, 6), ROW(logResumes, 3), ROW(logDocument, 5),
};
const int log_calls_count = sizeof log_calls / sizeof *log_calls;
