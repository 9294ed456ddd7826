/* Reads tables and layouts. Everything that their bytes could break is checked here once, so that
 * whoever uses them checks nothing but the depth of choices and positions in lines. */
#include <stdlib.h>

#include "log.h"

#define HEADER 16
#define LAYOUT_HEADER 6
#define TEXT_HEADER 5

/* Whether nothing of a minute that may be kept stands behind it. */
static bool is_minute_first(const uint8_t *time) {
  if ((time[1] & 63) == 0) return true;
  for (int i = time[2]; i < time[3]; i++)
    if (memchr("YymnbdeHhMN", time[4 + i], 11) != NULL) return false;
  return true;
}

/* The length of an operation with its operands; 0 if it is not valid. */
static size_t valid_length(const struct table *table, size_t sets, const uint8_t *p) {
  size_t left = (size_t)(table->code.end - p), texts = length_of(table->texts);
  /* The shortest length of each, so that its operands can be read. */
  static const uint8_t least[] = {1, 3, 4, 3, 3, 2, 2, 1, 2, 2, 5, 3, 3,
                                  1, 1, 2, 3, 4, 2, 2, 1, 6, 1, 2, 3, 1};
  if (p[0] >= sizeof least || left < least[p[0]]) return 0;
  size_t length = least[p[0]], to = length > 2 ? u16_at(p + 1) : 0;
  size_t here = (size_t)(p - table->code.at);
  switch (p[0]) {
    case OP_LIT:
    case OP_TO:
      return p[1] > 0 ? 2 + (size_t)p[1] : 0;
    case OP_RUN:
    case OP_LAST:
      return p[1] < sets ? length : 0;
    case OP_PLACE:
      return p[1] <= OPENS ? length : 0;
    case OP_OPEN:
    case OP_CLOSE:
    case OP_PROCESS:
    case OP_WITHIN:
      return p[1] < table->captures ? length : 0;
    case OP_PUT:
      return p[1] < table->captures && u16_at(p + 2) + p[4] <= texts ? length : 0;
    case OP_TRY:
    case OP_COMMIT:
      return to > here && to < length_of(table->code) ? length : 0;
    case OP_IS:
      return p[1] < table->captures ? 3 + (size_t)p[2] : 0;
    case OP_TIME:
      return p[2] <= p[3] && (p[1] & 192) != 192 && left >= 4 + (size_t)p[3] && is_minute_first(p)
                 ? 4 + (size_t)p[3]
                 : 0;
    case OP_NAME:
      length += 3 * (size_t)p[5];
      if (p[1] >= table->captures || p[2] >= table->captures || p[3] > 31 || left < length)
        return 0;
      for (const uint8_t *name = p + 6; name < p + length; name += 3)
        if (u16_at(name) + name[2] > texts) return 0;
      return length;
    case OP_JSON:
    case OP_PAIRS:
      for (int i = 0, count = p[length - 1]; i < count; i++) {
        if (left < length + 2 || p[length] >= table->captures) return 0;
        length += 2 + (size_t)p[length + 1];
      }
      return length;
    default:
      return length;
  }
}

/* Whether the operations are valid, end with OK, and are jumped to only at their starts. */
static bool is_code_valid(const struct table *table, size_t sets) {
  const uint8_t *code = table->code.at, *end = table->code.end;
  uint8_t *starts = calloc(1, length_of(table->code) + 1);
  if (starts == NULL) return false;
  int last = -1;
  for (const uint8_t *p = code; p < end;) {
    size_t length = valid_length(table, sets, p);
    if (length == 0 || length > (size_t)(end - p)) {
      last = -1;
      break;
    }
    /* A start is marked with the length's kind: only jumps are looked at again. */
    starts[p - code] = *p == OP_TRY || *p == OP_COMMIT ? 2 : 1;
    last = *p;
    p += length;
  }
  bool is_valid = last == OP_OK;
  for (size_t i = 0; is_valid && i < length_of(table->code); i++)
    if (starts[i] == 2) is_valid = starts[u16_at(code + i + 1)] != 0;
  free(starts);
  return is_valid;
}

static bool is_table_valid(const struct table *table, size_t sets) {
  if (table->captures > CAPTURES || table->otherwise > OPENS || table->trace > TRACE_FROM)
    return false;
  if (table->goes_on != NO_SET && table->goes_on >= sets) return false;
  if (table->rest != NO_CAPTURE && table->rest >= table->captures) return false;
  for (const uint8_t *same = table->same.at; same < table->same.end; same++)
    if (*same >= table->captures) return false;
  return is_code_valid(table, sets);
}

struct table *new_table(struct bytes bytes) {
  const uint8_t *p = bytes.at;
  if (length_of(bytes) < HEADER || memcmp(p, "KLT2", 4) != 0) return NULL;
  size_t sets = p[4], sames = p[6], texts = u16_at(p + 12), code = u16_at(p + 14);
  if (length_of(bytes) != HEADER + 32 * sets + sames + texts + code) return NULL;
  size_t room = sizeof(struct table) + sets * sizeof(struct set) + sames + texts + code + SPARE;
  struct table *table = calloc(1, room);
  if (table == NULL) return NULL;
  table->references = 1;
  table->captures = p[5], table->otherwise = p[7], table->goes_on = p[8];
  table->rest = p[9], table->trace = p[10];
  table->sets = table->bytes;
  p += HEADER;
  for (size_t i = 0; i < sets; i++, p += 32) read_set(&table->bytes[i], p);
  uint8_t *own = (uint8_t *)(table->bytes + sets);
  memcpy(own, p, sames + texts + code);
  table->same = (struct bytes){own, own + sames};
  table->texts = (struct bytes){own + sames, own + sames + texts};
  table->code = (struct bytes){own + sames + texts, own + sames + texts + code};
  if (is_table_valid(table, sets)) return table;
  free(table);
  return NULL;
}

void drop_table(struct table *table) {
  if (table != NULL && --table->references == 0) free(table);
}

/* A text after its length in two bytes, and the position after it; NULL if it is incomplete. */
static const uint8_t *text_at(const uint8_t *p, const uint8_t *end, struct bytes *text) {
  if (p == NULL || end - p < 2 || (size_t)(end - p) - 2 < u16_at(p)) return NULL;
  *text = (struct bytes){p + 2, p + 2 + u16_at(p)};
  return text->end;
}

/* The position after a row; NULL if it is not valid. */
static const uint8_t *valid_row(const struct table *table, const uint8_t *p, const uint8_t *end) {
  struct bytes text;
  if (end - p < TEXT_HEADER || p[0] > ROW_PART) return NULL;
  uint8_t kind = p[0];
  if (kind != ROW_TRACE && p[1] >= table->captures) return NULL;
  p = text_at(p + 3, end, &text);
  if (kind == ROW_TEXT_OR) return text_at(p, end, &text);
  if (kind != ROW_WITHOUT || p == NULL) return p;
  return p == end || (size_t)(end - p) < 1 + (size_t)*p ? NULL : p + 1 + *p;
}

bool read_layout(struct layout *layout, const struct table *table, struct bytes bytes) {
  const uint8_t *p = bytes.at;
  if (length_of(bytes) < LAYOUT_HEADER || memcmp(p, "KLL1", 4) != 0) return false;
  layout->is_raw = p[4] & 1;
  uint8_t count = p[5];
  p += LAYOUT_HEADER;
  layout->rows.at = p;
  layout->has_trace = false;
  for (int i = 0; p != NULL && i < count; i++) {
    const uint8_t *row = p;
    p = valid_row(table, row, bytes.end);
    if (p != NULL) layout->has_trace |= *row == ROW_MESSAGE || *row == ROW_TRACE;
  }
  layout->rows.end = p;
  p = text_at(p, bytes.end, &layout->before);
  p = text_at(p, bytes.end, &layout->after);
  return text_at(p, bytes.end, &layout->tail) == bytes.end;
}
