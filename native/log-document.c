/* Writes the document of an event: the rows of its layout. */
#include <math.h>

#include "log.h"

#define TRACEBACK "Traceback (most recent call last):"
#define NUMBER_DIGITS 15
#define MOST_PLACES 18

/* A document that is being written. */
struct document {
  struct writer *writer;
  const struct log *log;
  const struct text *text;
  const struct match *match;
  double ms;
  struct bytes line; /* the first one */
  bool has_trace;
};

/* Goes through the lines of a text. */
struct cursor {
  const struct text *text;
  const struct piece *piece;
  const uint8_t *at;       /* in the piece */
  const uint8_t *readable; /* the end of what may be read behind the last line */
};

static struct cursor start_of(const struct text *text) {
  return (struct cursor){text, &text->first, text->first.at, NULL};
}

static bool next_line(struct cursor *cursor, struct bytes *line) {
  if (cursor->piece == NULL) return false;
  const uint8_t *end = cursor->piece->end;
  cursor->readable = readable_of(cursor->text, cursor->piece);
  *line = first_line((struct bytes){cursor->at, end});
  cursor->at = line->end + 1;
  if (line->end < end) return true;
  uint32_t next = cursor->piece->next;
  cursor->piece = next == NO_PIECE ? NULL : &cursor->text->others[next];
  if (cursor->piece != NULL) cursor->at = cursor->piece->at;
  return true;
}

static bool has_traceback(struct bytes line) {
  static const size_t length = sizeof TRACEBACK - 1;
  for (const uint8_t *p = line.at; (size_t)(line.end - p) >= length; p++) {
    p = memchr(p, 'T', (size_t)(line.end - p) - length + 1);
    if (p == NULL) return false;
    if (memcmp(p, TRACEBACK, length) == 0) return true;
  }
  return false;
}

static bool starts(struct bytes text, const void *prefix, size_t length) {
  return length_of(text) >= length && memcmp(text.at, prefix, length) == 0;
}

/* Whether a line, or one after the first, begins or continues a trace. */
static bool is_trace_line(const struct table *table, struct bytes line, bool is_first) {
  if (table->trace == TRACE_FROM) return starts(line, TRACEBACK, sizeof TRACEBACK - 1);
  return !is_first && has_traceback(line);
}

static bool has_trace(const struct log *log, const struct text *text) {
  struct cursor cursor = start_of(text);
  struct bytes line;
  if (!log->layout.has_trace || log->table->trace == NO_TRACE) return false;
  for (bool is_first = true; next_line(&cursor, &line); is_first = false)
    if (is_trace_line(log->table, line, is_first)) return true;
  return false;
}

/* A text's rest from a position in its first line. */
static void put_rest(const struct document *of, uint32_t from) {
  const struct text *text = of->text;
  const struct piece *piece = &text->first;
  struct bytes part = {piece->at + from, piece->end};
  for (;;) {
    put_text(of->writer, part, readable_of(text, piece), false);
    if (piece->next == NO_PIECE) return;
    piece = &text->others[piece->next];
    part = (struct bytes){piece->at, piece->end};
    put(of->writer, "\\n", 2);
  }
}

/* A line of a trace, without what stands before the rest if it has joined by itself. */
static struct bytes bare(const struct document *of, struct bytes line, const uint8_t *readable) {
  const struct log *log = of->log;
  struct dates dates = {log->zone, NAN, of->ms};
  struct match match;
  uint8_t rest = log->table->rest;
  match_line(log->table, &dates, line, readable, &match);
  if (!match.is_matched || match.place != RESUMES || rest == NO_CAPTURE ||
      (match.set >> rest & 1) == 0)
    return line;
  if (!match.captures[rest].is_put) line.at += match.captures[rest].at;
  return line;
}

static void put_trace(const struct document *of) {
  struct cursor cursor = start_of(of->text);
  struct bytes line;
  const struct table *table = of->log->table;
  bool is_lines = table->trace == TRACE_LINES, has_begun = false;
  for (bool is_first = true; next_line(&cursor, &line); is_first = false) {
    bool is_begin = !has_begun && (is_lines ? !is_first : is_trace_line(table, line, is_first));
    if (!has_begun && !is_begin) continue;
    if (has_begun) put(of->writer, "\\n", 2);
    has_begun = true;
    put_text(of->writer, is_lines ? bare(of, line, cursor.readable) : line, cursor.readable, false);
  }
}

static const uint8_t *after_digits(const uint8_t *p, const uint8_t *end) {
  while (p < end && is_digit(*p)) p++;
  return p;
}

/* Whether a text is `digits` or `digits.digits`: sets the position after the first ones. */
static bool is_decimal(struct bytes text, const uint8_t **point) {
  *point = after_digits(text.at, text.end);
  if (*point == text.at) return false;
  if (*point == text.end) return true;
  return **point == '.' && *point + 1 < text.end && after_digits(*point + 1, text.end) == text.end;
}

static void put_number(struct writer *writer, struct bytes text) {
  const uint8_t *point;
  bool is_negative = text.at < text.end && *text.at == '-';
  if (is_negative || (text.at < text.end && *text.at == '+')) text.at++;
  if (!is_decimal(text, &point)) {
    put(writer, "null", 4);
    return;
  }
  while (point - text.at > 1 && *text.at == '0') text.at++;
  if (is_negative) put(writer, "-", 1);
  put(writer, text.at, length_of(text));
}

/* Whether a text times a power of ten is a number: its value, and the zeros that follow it. */
static bool shifted(struct bytes text, int shift, uint64_t *value, int *zeros) {
  const uint8_t *point;
  if (!is_decimal(text, &point)) return false;
  int places = point == text.end ? 0 : (int)(text.end - point) - 1;
  if ((size_t)(point - text.at) + (size_t)places > NUMBER_DIGITS) return false;
  *value = 0, *zeros = shift - places;
  for (const uint8_t *p = text.at; p < text.end; p++)
    if (*p != '.') *value = *value * 10 + (uint64_t)(*p - '0');
  if (*zeros >= 0) return true;
  uint64_t unit = 1;
  if (*zeros < -MOST_PLACES) *value = 0;
  for (int i = *zeros < -MOST_PLACES ? 0 : *zeros; i < 0; i++) unit *= 10;
  *value = *value / unit + (*value % unit * 2 >= unit && unit > 1), *zeros = 0;
  return true;
}

static void put_shifted(struct writer *writer, uint64_t value, int zeros) {
  char digits[20];
  size_t at = sizeof digits;
  if (value == 0) zeros = 0;
  do {
    digits[--at] = (char)('0' + value % 10);
  } while ((value /= 10) > 0);
  put(writer, digits + at, sizeof digits - at);
  while (zeros-- > 0) put(writer, "0", 1);
}

/* A row of a layout. */
struct row {
  uint8_t kind, capture;
  int8_t shift;
  struct bytes key, more; /* more: the default, or the prefix that goes */
};

static const uint8_t *read_row(const uint8_t *p, struct row *row) {
  row->kind = p[0], row->capture = p[1], row->shift = (int8_t)p[2];
  row->key = (struct bytes){p + 5, p + 5 + u16_at(p + 3)};
  row->more = (struct bytes){NULL, NULL};
  p = row->key.end;
  if (row->kind == ROW_TEXT_OR) row->more = (struct bytes){p + 2, p + 2 + u16_at(p)};
  if (row->kind == ROW_WITHOUT) row->more = (struct bytes){p + 1, p + 1 + *p};
  return row->kind == ROW_TEXT_OR || row->kind == ROW_WITHOUT ? row->more.end : p;
}

/* A text in quotes. */
static void put_quoted(struct writer *writer, struct bytes text, const uint8_t *readable,
                       bool is_json) {
  put_byte(writer, '"');
  put_text(writer, text, readable, is_json);
  put_byte(writer, '"');
}

/* A capture of the line or of the table, by the row's kind. */
static void put_capture(const struct document *of, const struct row *row, bool is_put) {
  const struct range *range = &of->match->captures[row->capture];
  struct writer *writer = of->writer;
  const uint8_t *base = is_put ? of->log->table->texts.at : of->line.at;
  const uint8_t *readable =
      is_put ? of->log->table->code.end + SPARE : readable_of(of->text, &of->text->first);
  struct bytes text = {base + range->at, base + range->end};
  if (is_put) text.end += range->at;
  bool is_string = !is_put && range->at > 0 && text.at[-1] == '"';
  switch (row->kind) {
    case ROW_NUMBER:
      put_number(writer, text);
      break;
    case ROW_JSON:
      if (!is_string) {
        put_text(writer, text, readable, true);
        break;
      }
      /* fall through */
    case ROW_JSON_TEXT:
      put_quoted(writer, text, readable, is_string);
      break;
    case ROW_PART:
      put_text(writer, text, readable, false);
      if (row->shift == 1) put_byte(writer, '"');
      break;
    case ROW_WITHOUT:
      if (starts(text, row->more.at, length_of(row->more))) text.at += length_of(row->more);
      /* fall through */
    default:
      put_quoted(writer, text, readable, false);
  }
}

/* A row of which the capture is set. */
static void put_row(const struct document *of, const struct row *row) {
  const struct range *range = &of->match->captures[row->capture];
  struct writer *writer = of->writer;
  bool is_long = row->kind == ROW_REST || row->kind == ROW_MESSAGE, is_put = range->is_put;
  uint64_t value;
  int zeros;
  struct bytes text = {of->line.at + range->at, of->line.at + range->end};
  if (is_put && (is_long || row->kind >= ROW_SHIFTED) && row->kind != ROW_WITHOUT) return;
  if (row->kind == ROW_SHIFTED) {
    if (!shifted(text, row->shift, &value, &zeros)) return;
    put_own(writer, row->key);
    put_shifted(writer, value, zeros);
    return;
  }
  put_own(writer, row->key);
  if (!is_long) {
    put_capture(of, row, is_put);
    return;
  }
  put_byte(writer, '"');
  text.end = of->line.end;
  if (row->kind == ROW_MESSAGE && of->has_trace)
    put_text(writer, text, readable_of(of->text, &of->text->first), false);
  else
    put_rest(of, range->at);
  put_byte(writer, '"');
}

static void put_rows(const struct document *of, bool is_readable) {
  struct row row;
  struct writer *writer = of->writer;
  const struct bytes *rows = &of->log->layout.rows;
  for (const uint8_t *p = rows->at; p < rows->end;) {
    p = read_row(p, &row);
    bool is_set = is_readable && row.kind != ROW_TRACE && (of->match->set >> row.capture & 1);
    if (is_set) {
      put_row(of, &row);
    } else if (row.kind == ROW_TEXT_OR) {
      put_own(writer, row.key);
      put_own(writer, row.more);
    } else if (row.kind == ROW_TRACE && of->has_trace) {
      put_own(writer, row.key);
      put_byte(writer, '"');
      put_trace(of);
      put_byte(writer, '"');
    }
  }
}

void put_document(struct writer *writer, const struct log *log, const struct text *text,
                  const struct match *match, double ms) {
  const struct layout *layout = &log->layout;
  struct document of = {writer, log, text, match, ms, {NULL, NULL}, false};
  struct cursor cursor = start_of(text);
  next_line(&cursor, &of.line);
  bool is_readable = match->is_matched && !match->is_bad && !layout->is_raw;
  of.has_trace = is_readable && has_trace(log, text);
  put(writer, "{\"@timestamp\":\"", 15);
  put_stamp(writer, ms);
  put_byte(writer, '"');
  if (!layout->is_raw) put_rows(&of, is_readable);
  if (!is_readable) {
    put_own(writer, layout->before);
    put_rest(&of, 0);
    put_own(writer, layout->after);
  }
  put_own(writer, layout->tail);
}
