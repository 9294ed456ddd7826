/* Interprets tables of log formats: frames lines to events and writes their documents. */
#ifndef LOG_H
#define LOG_H

#include "log-match.h"

/* Texts that we keep have this many readable bytes after them, so that they can be copied by
 * sixteen. */
#define SPARE 16
#define EVENTS 256
#define OPENINGS 4
#define DIGEST_DIGITS 7

enum kind {
  ROW_TEXT,
  ROW_NUMBER,
  ROW_REST,
  ROW_TEXT_OR,
  ROW_MESSAGE,
  ROW_TRACE,
  ROW_SHIFTED,
  ROW_JSON_TEXT,
  ROW_JSON,
  ROW_WITHOUT,
  ROW_PART,
};
enum stop { STOP_END, STOP_FULL, STOP_LINE, STOP_HELD, STOP_DAY, STOP_MANY };

/* A verified layout of documents. */
struct layout {
  struct bytes rows, before, after, tail;
  bool has_trace; /* a row of a trace, or of what precedes one */
  bool is_raw;    /* every line is an event by itself, as text */
};

/* Where documents go. Nothing is written once it is full. */
struct writer {
  uint8_t *to, *limit;
  bool is_full;
};

/* Lines of an event in a chunk, joined by newlines and without the last one's ending. A line that
 * ends with a carriage return ends a piece. What was kept of an earlier chunk has SPARE readable
 * bytes after it. */
struct piece {
  const uint8_t *at, *end;
  uint32_t next;
  bool is_kept;
};
#define NO_PIECE UINT32_MAX

/* An event's lines: the first piece, and where the others are. */
struct text {
  const uint8_t *readable; /* the end of what may be read in the chunk */
  struct piece first;
  const struct piece *others;
};

struct event {
  struct piece first;
  uint32_t last_piece, lines, bytes, held;
  double offset, end_offset, end_ms, ms;
  bool is_dated, is_collecting;
  struct match match;
};

/* A file's table and layout, and its open events. */
struct log {
  struct table *table;
  struct zone *zone;
  struct layout layout;
  struct event *events;
  uint32_t *processes; /* of the events */
  struct piece *pieces;
  uint32_t count, room; /* of events */
  uint32_t used_pieces, piece_room, free_piece;
  int32_t last;         /* the last event in the file, if it is open; or -1 */
  uint8_t *kept;        /* lines of events that began in earlier chunks */
  const uint8_t *chunk; /* that of the pieces; NULL if all are kept */
  size_t chunk_length;
  double base;
  uint8_t bytes[];
};

static inline const uint8_t *readable_of(const struct text *text, const struct piece *piece) {
  return piece->is_kept ? piece->end + SPARE : text->readable;
}

/* Input and results of a scan, in the order of src/engine/log-tables.ts. */
struct block {
  double at, end, base, last_ms, near_ms, undated_ms, undated_day, longest, is_last_held,
      alone_stops, filled, most, held;
  double documents, lines, first_offset, end_offset, end_ms, is_dated, undated_offset,
      is_undated_later, stop_at, taken;
  double processes[]; /* that the caller holds */
};

struct opening {
  double day;
  struct bytes bytes;
};

/* What precedes the digits of an id: `count` days, or 0 for documents without action lines. */
struct openings {
  struct opening days[OPENINGS];
  int count;
  struct bytes name;
};

/* log-table.c */
/* Whether a layout is valid for a table; the result points into `bytes`. */
bool read_layout(struct layout *layout, const struct table *table, struct bytes bytes);

/* log-write.c */
static inline void put(struct writer *writer, const void *from, size_t length) {
  if ((size_t)(writer->limit - writer->to) < length) writer->is_full = true;
  if (writer->is_full) return;
  memcpy(writer->to, from, length);
  writer->to += length;
}
/* As put(), of a text that has SPARE readable bytes after it. */
static inline void put_own(struct writer *writer, struct bytes text) {
  size_t length = length_of(text);
  if ((size_t)(writer->limit - writer->to) < length + SPARE) {
    put(writer, text.at, length);
    return;
  }
  for (size_t i = 0; i < length; i += SPARE) memcpy(writer->to + i, text.at + i, SPARE);
  writer->to += length;
}
static inline void put_byte(struct writer *writer, uint8_t byte) {
  if (writer->to == writer->limit)
    writer->is_full = true;
  else
    *writer->to++ = byte;
}
/* The first newline of a range; NULL if there is none. */
const uint8_t *find_newline(const uint8_t *p, const uint8_t *end);
struct bytes first_line(struct bytes text);
/* Text as the inside of a JSON string, or with `is_json` as it is; invalid UTF-8 becomes U+FFFD. */
void put_text(struct writer *writer, struct bytes text, const uint8_t *readable, bool is_json);
void put_stamp(struct writer *writer, double ms);
/* A line's digest: seven digits of base 36. */
void put_digest(struct writer *writer, struct bytes line);
void put_id(struct writer *writer, double offset, struct bytes line);

/* log-document.c */
void put_document(struct writer *writer, const struct log *log, const struct text *text,
                  const struct match *match, double ms);

/* log-events.c */
void forget_events(struct log *log);
/* The open event of a process; -1 if there is none. */
int32_t find_event(const struct log *log, uint32_t process);
/* Whether there is memory for one more. */
bool has_slot(struct log *log);
/* Appends a line, a piece without a next one; false without memory. */
bool add_line(struct log *log, struct event *event, struct piece line);
void free_pieces(struct log *log, struct event *event);
/* An event's lines, joined by newlines, of event->bytes. Returns the end. */
uint8_t *copy_text(const struct log *log, const struct event *event, uint8_t *to);
/* Copies the lines of all events out of the chunk; false without memory. */
bool keep_events(struct log *log);

/* log-scan.c: a reason to stop; -1 without memory. */
int scan(struct log *log, struct block *block, const uint8_t *chunk, size_t length,
         const struct openings *openings, struct writer *writer);

#endif
