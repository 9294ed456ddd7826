/* Matches one line with a table: ordered choices, greedy runs, jumps only forward. So an operation
 * runs at most once for each open choice. */
#include "log-match.h"

#include <math.h>

/* Where a choice goes on if it fails. */
struct choice {
  const uint8_t *code, *p, *end, *outer;
  uint64_t set;
  double ms;
  bool is_bad;
};

static bool is_line_set(const struct match *match, uint8_t capture) {
  return (match->set >> capture & 1) != 0 && !match->captures[capture].is_put;
}

/* A capture that is a part of the line. */
static struct bytes part_of(const struct match *match, uint8_t capture, const uint8_t *line) {
  const struct range *range = &match->captures[capture];
  return (struct bytes){line + range->at, line + range->end};
}

static void set_constant(struct match *match, uint8_t capture, const uint8_t *text) {
  match->captures[capture] = (struct range){u16_at(text), 1, text[2]};
  match->set |= 1ull << capture;
}

/* The decimal value of a capture, modulo 2 to the 32nd. */
static uint32_t value_of(const struct match *match, uint8_t capture, const uint8_t *line) {
  uint32_t value = 0;
  const struct range *range = &match->captures[capture];
  for (uint32_t i = range->at; i < range->end; i++) value = value * 10 + line[i] - '0';
  return value;
}

static const uint8_t *find(const uint8_t *p, const uint8_t *end, struct bytes wanted) {
  size_t more = length_of(wanted) - 1;
  for (; (size_t)(end - p) > more; p++) {
    p = memchr(p, *wanted.at, (size_t)(end - p) - more);
    if (p == NULL) return NULL;
    if (memcmp(p, wanted.at, more + 1) == 0) return p;
  }
  return NULL;
}

/* The last such byte after the first of a run. */
static const uint8_t *last_in(const struct set *set, uint8_t wanted, const uint8_t *p,
                              const uint8_t *end, const uint8_t *readable) {
  const uint8_t *q = after_run(set, p, end, readable);
  while (q > p && q[-1] != wanted) q--;
  return q - p < 2 ? NULL : q - 1;
}

/* The first such byte that no backslash precedes. */
static const uint8_t *quoted(uint8_t quote, const uint8_t *p, const uint8_t *end) {
  for (; p < end && *p != quote; p++)
    if (*p == '\\' && ++p == end) return NULL;
  return p < end ? p : NULL;
}

/* Both ends are set at once and in order, whatever the table does. */
static void close_capture(struct match *match, uint8_t capture, uint32_t at, uint32_t end) {
  match->captures[capture] = (struct range){at < end ? at : end, 0, end};
  match->set |= 1ull << capture;
}

/* Operations that most lines do not reach: the position after what they take; NULL if they fail. */
static const uint8_t *rare(const struct dates *dates, const uint8_t *op, const uint8_t *line,
                           struct bytes rest, struct match *match) {
  uint32_t value;
  switch (op[0]) {
    case OP_NAME:
      if (!is_line_set(match, op[2])) return NULL;
      value = value_of(match, op[2], line) >> op[3] & op[4];
      if (value >= op[5]) return NULL;
      set_constant(match, op[1], op + 6 + 3 * value);
      return rest.at;
    case OP_TIME:
      return match_time(dates, op, rest, match);
    case OP_EPOCH:
      return match_epoch(rest, match);
    case OP_JSON:
      return match_json(op, line, rest, match);
    default:
      return match_pairs(op, line, rest, match);
  }
}

/* The length of an operation with `count` captures and their keys, the first one at `length`. */
static size_t keys_length(const uint8_t *op, size_t length) {
  for (int i = op[length - 1]; i > 0; i--) length += 2 + (size_t)op[length + 1];
  return length;
}

static size_t rare_length(const uint8_t *op) {
  switch (op[0]) {
    case OP_NAME:
      return 6 + 3 * (size_t)op[5];
    case OP_TIME:
      return 4 + (size_t)op[3];
    case OP_EPOCH:
      return 1;
    default:
      return keys_length(op, op[0] == OP_JSON ? 2 : 3);
  }
}

void match_line(const struct table *table, const struct dates *dates, struct bytes text,
                const uint8_t *readable, struct match *match) {
  const uint8_t *const code = table->code.at, *const line = text.at;
  const uint8_t *op = code, *p = line, *end = text.end, *outer = NULL, *q;
  struct choice choices[CHOICES];
  uint32_t depth = 0, opened[CAPTURES];
  memset(opened, 0, table->captures * sizeof *opened);
  match->set = 0, match->ms = NAN, match->process = 0, match->place = table->otherwise;
  match->is_matched = match->is_bad = match->is_of_no_year = false;
  for (;;) {
    size_t left = (size_t)(end - p), length = op[1];
    switch (op[0]) {
      case OP_OK:
        match->is_matched = true;
        return;
      case OP_LIT:
        if (left < length || memcmp(p, op + 2, length) != 0) break;
        p += length, op += 2 + length;
        continue;
      case OP_RUN:
        q = op[3] == 255 || left < op[3] ? end : p + op[3];
        q = after_run(&table->sets[length], p, q, readable);
        if (q - p < op[2]) break;
        p = q, op += 4;
        continue;
      case OP_TO:
        q = find(p, end, (struct bytes){op + 2, op + 2 + length});
        if (q == NULL) break;
        p = q, op += 2 + length;
        continue;
      case OP_LAST:
        q = last_in(&table->sets[length], op[2], p, end, readable);
        if (q == NULL) break;
        p = q, op += 3;
        continue;
      case OP_QUOTED:
        q = quoted(op[1], p, end);
        if (q == NULL) break;
        p = q, op += 2;
        continue;
      case OP_END:
        p = left > 0 && end[-1] == op[1] ? end - 1 : end, op += 2;
        continue;
      case OP_EOL:
        if (left > 0) break;
        op++;
        continue;
      case OP_OPEN:
        opened[length] = (uint32_t)(p - line), op += 2;
        continue;
      case OP_CLOSE:
        close_capture(match, op[1], opened[length], (uint32_t)(p - line)), op += 2;
        continue;
      case OP_PUT:
        set_constant(match, op[1], op + 2), op += 5;
        continue;
      case OP_TRY:
        if (depth == CHOICES) return;
        choices[depth++] = (struct choice){
            code + u16_at(op + 1), p, end, outer, match->set, match->ms, match->is_bad};
        op += 3;
        continue;
      case OP_COMMIT:
      case OP_CUT:
        if (depth == 0) return;
        depth--, op = op[0] == OP_CUT ? op + 1 : code + u16_at(op + 1);
        continue;
      case OP_FAIL:
        break;
      case OP_PLACE:
        match->place = op[1], op += 2;
        continue;
      case OP_BAD:
        match->is_bad = true, op++;
        continue;
      case OP_IS:
        if (!is_line_set(match, op[1])) break;
        if (!is_equal(part_of(match, op[1], line), (struct bytes){op + 3, op + 3 + op[2]})) break;
        op += 3 + op[2];
        continue;
      case OP_PROCESS:
        if (!is_line_set(match, op[1])) break;
        match->process = value_of(match, op[1], line), op += 2;
        continue;
      case OP_WITHIN:
        if (outer != NULL || !is_line_set(match, op[1])) break;
        outer = p, p = part_of(match, op[1], line).at, end = part_of(match, op[1], line).end;
        op += 2;
        continue;
      case OP_OUTER:
        if (outer == NULL) return;
        p = outer, end = text.end, outer = NULL, op++;
        continue;
      default:
        q = rare(dates, op, line, (struct bytes){p, end}, match);
        if (q == NULL) break;
        p = q, op += rare_length(op);
        continue;
    }
    /* It fails: the last choice goes on. */
    if (depth == 0) return;
    const struct choice *choice = &choices[--depth];
    op = choice->code, p = choice->p, end = choice->end, outer = choice->outer;
    match->set = choice->set, match->ms = choice->ms, match->is_bad = choice->is_bad;
  }
}

/* The text of a capture; without a position if it is not set. */
static struct bytes capture_of(const struct table *table, const struct match *match,
                               uint8_t capture, const uint8_t *line) {
  const struct range *range = &match->captures[capture];
  if ((match->set >> capture & 1) == 0) return (struct bytes){NULL, NULL};
  const uint8_t *at = (range->is_put ? table->texts.at : line) + range->at;
  return (struct bytes){at, range->is_put ? at + range->end : line + range->end};
}

bool goes_on(const struct table *table, struct bytes line) {
  return table->goes_on != NO_SET && length_of(line) > 0 &&
         table->sets[table->goes_on].has[*line.at];
}

bool is_same(const struct table *table, const struct match *event, const uint8_t *first,
             const struct match *match, const uint8_t *line) {
  if (!event->is_matched || !match->is_matched) return false;
  for (const uint8_t *same = table->same.at; same < table->same.end; same++)
    if (!is_equal(capture_of(table, event, *same, first), capture_of(table, match, *same, line)))
      return false;
  return true;
}
