/* Tables of log formats (src/logship/tables/), and how lines are matched by them. It knows no
 * format. */
#ifndef LOG_MATCH_H
#define LOG_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CAPTURES 48
#define CHOICES 32
#define NO_SET 255
#define NO_CAPTURE 255
#define DAY_MS 86400000.0

enum operation {
  OP_OK,
  OP_LIT,
  OP_RUN,
  OP_TO,
  OP_LAST,
  OP_QUOTED,
  OP_END,
  OP_EOL,
  OP_OPEN,
  OP_CLOSE,
  OP_PUT,
  OP_TRY,
  OP_COMMIT,
  OP_CUT,
  OP_FAIL,
  OP_PLACE,
  OP_IS,
  OP_TIME,
  OP_PROCESS,
  OP_WITHIN,
  OP_OUTER,
  OP_NAME,
  OP_BAD,
  OP_JSON,
  OP_PAIRS,
  OP_EPOCH,
};
enum place { ALONE, BEGINS, FOLLOWS, RESUMES, OPENS };
enum trace { NO_TRACE, TRACE_LINES, TRACE_FROM };

struct bytes {
  const uint8_t *at, *end;
};

static inline size_t length_of(struct bytes text) { return (size_t)(text.end - text.at); }
static inline uint32_t u16_at(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline bool is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }
static inline bool is_equal(struct bytes a, struct bytes b) {
  if (a.at == NULL || b.at == NULL) return a.at == b.at;
  return length_of(a) == length_of(b) && memcmp(a.at, b.at, length_of(a)) == 0;
}

/* A set of bytes. With `is_simple` a run of it ends at bytes of two ranges, or with `is_inside` at
 * all others: ranges of the lowest byte and the number of bytes after it. */
struct set {
  uint8_t has[256]; /* 1 for its bytes */
  uint8_t low[2], more[2];
  bool is_simple, is_inside;
};

/* A verified table, shared by the files of its format. */
struct table {
  int references;
  struct bytes code, texts, same;
  uint8_t captures, otherwise, goes_on, rest, trace;
  const struct set *sets;
  struct set bytes[]; /* sets, then texts */
};

/* Offsets of a zone from UTC: pairs of the first UTC time and the offset, in milliseconds. */
struct zone {
  int references;
  size_t count;
  double pairs[];
};

/* A range of the line, or of the table's texts. */
struct range {
  uint32_t at : 31, is_put : 1;
  uint32_t end;
};

/* What a table says of a line. */
struct match {
  uint64_t set; /* a bit for each capture that is set */
  double ms;    /* NaN without a time */
  uint32_t process;
  uint8_t place;
  bool is_matched, is_bad;
  bool is_of_no_year; /* a time without a year was in none of the years near to the dates */
  struct range captures[CAPTURES];
};

/* The times between which a line may have to choose: the last one dated, and one near to it. */
struct dates {
  const struct zone *zone;
  double last_ms, near_ms;
};

/* A minute in one year: its start on UTC's clock, and its starts by the zone, which are two in a
 * repeated hour. NaN if there is no such day. */
struct start {
  double wall, first, second;
};

/* log-set.c */
void read_set(struct set *set, const uint8_t *bitmap);
/* The position after the bytes of a set. */
const uint8_t *after_run(const struct set *set, const uint8_t *p, const uint8_t *end,
                         const uint8_t *readable);

/* log-table.c */
struct table *new_table(struct bytes bytes);
void drop_table(struct table *table);

/* log-match.c. An operation of another file returns the position after what it takes, or NULL. */
/* @param readable the end of what may be read, at or after the line's end */
void match_line(const struct table *table, const struct dates *dates, struct bytes line,
                const uint8_t *readable, struct match *match);
/* Whether the line after this one may belong to the same event, of those that collect. */
bool goes_on(const struct table *table, struct bytes line);
/* Whether what events have in common is the same in two lines that match. */
bool is_same(const struct table *table, const struct match *event, const uint8_t *first,
             const struct match *match, const uint8_t *line);
const uint8_t *match_time(const struct dates *dates, const uint8_t *op, struct bytes rest,
                          struct match *match);
const uint8_t *match_epoch(struct bytes rest, struct match *match);
const uint8_t *match_json(const uint8_t *op, const uint8_t *line, struct bytes rest,
                          struct match *match);
const uint8_t *match_pairs(const uint8_t *op, const uint8_t *line, struct bytes rest,
                           struct match *match);
/* What was kept of times belongs to tables and zones. Called before one is freed. */
void forget_times(void);

/* log-calendar.c. Days are those since the epoch. */
double days_of(double year, uint32_t month, uint32_t day);
uint32_t days_in(double year, uint32_t month);
void date_of(double days, double *year, uint32_t *month, uint32_t *day);
/* The year of a time in milliseconds; NaN if a Date has no such time. */
double year_of(double ms);
/* Finds when a wall clock shows `wall`: see byOffset of src/logship/time/zone.ts. */
void resolve(const struct zone *zone, struct start *start);
#endif
