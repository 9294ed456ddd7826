/*
 * Frames the lines of a chunk to events, and writes those that end.
 *
 *   line -> match -> its place -> joins an open event, or ends one and begins another
 *   an event that ends -> action line, document
 *
 * Writing precedes every change of state, so that a line at which we stop is simply taken again.
 * src/logship/tables/scanner.ts has the rules.
 */
#include <math.h>

#include "log.h"

#define REACH 65536.0
#define FAR_MS (184 * DAY_MS) /* see src/logship/time/wall.ts */
#define MOST_LINES 1000
#define MOST_BYTES (1024 * 1024)
/* What a step returns if it does not stop. */
#define GOES_ON (-2)
#define NO_MEMORY (-1)

/* One scan. */
struct run {
  struct log *log;
  struct block *block;
  const struct openings *openings;
  struct writer *writer;
  const uint8_t *chunk, *readable;
  bool has_dated;
};

/* The line that is being taken. */
struct line {
  struct bytes text;
  struct match match;
  double offset, next, ms; /* ms: its own time, or that of a line without one */
  uint8_t place;
};

static const struct opening *opening_of(const struct openings *openings, double day) {
  for (int i = 0; i < openings->count; i++)
    if (openings->days[i].day == day) return &openings->days[i];
  return NULL;
}

/* The day of a time, which is mostly the last one's. */
static double day_of(double ms) {
  static double kept = 0;
  if (!(ms >= kept * DAY_MS && ms < (kept + 1) * DAY_MS)) kept = floor(ms / DAY_MS);
  return kept;
}

/* Writes an event: GOES_ON, or why it cannot be written. */
static int write_event(const struct run *run, const struct event *event) {
  struct block *block = run->block;
  struct writer *writer = run->writer;
  if (block->documents >= block->most) return STOP_FULL;
  struct text text = {run->readable, event->first, run->log->pieces};
  uint8_t *start = writer->to;
  struct bytes first = first_line((struct bytes){event->first.at, event->first.end});
  if (run->openings != NULL) {
    double day = day_of(event->ms);
    const struct opening *opening = opening_of(run->openings, day);
    if (opening == NULL) {
      block->stop_at = day;
      return STOP_DAY;
    }
    put(writer, opening->bytes.at, length_of(opening->bytes));
    put(writer, run->openings->name.at, length_of(run->openings->name));
    put_id(writer, event->offset, first);
    put(writer, "\"}}\n", 4);
  }
  const struct match *match = &event->match;
  struct match again;
  if (match->is_of_no_year) {
    /* A document is that of the event's own time. */
    struct dates dates = {run->log->zone, NAN, event->ms};
    match_line(run->log->table, &dates, first, readable_of(&text, &text.first), &again);
    match = &again;
  }
  put_document(writer, run->log, &text, match, event->ms);
  put(writer, "\n", 1);
  if (writer->is_full) {
    writer->to = start, writer->is_full = false;
    return STOP_FULL;
  }
  block->documents++, block->lines += event->lines;
  if (event->offset < block->first_offset) block->first_offset = event->offset;
  if (event->end_offset > block->end_offset)
    block->end_offset = event->end_offset, block->end_ms = event->end_ms;
  return GOES_ON;
}

/* Ends an open event. Its slot is free afterwards, and the last one takes its place. */
static int end_event(const struct run *run, int32_t slot) {
  struct log *log = run->log;
  int stop = write_event(run, &log->events[slot]);
  if (stop != GOES_ON) return stop;
  free_pieces(log, &log->events[slot]);
  int32_t end = (int32_t)--log->count;
  if (log->last == slot)
    log->last = -1;
  else if (log->last == end)
    log->last = slot;
  if (slot != end) log->events[slot] = log->events[end], log->processes[slot] = log->processes[end];
  return GOES_ON;
}

static int end_last(const struct run *run) {
  return run->log->last < 0 ? GOES_ON : end_event(run, run->log->last);
}

static bool is_held(const struct block *block, uint32_t process) {
  for (int i = 0; i < (int)block->held; i++)
    if (block->processes[i] == process) return true;
  return false;
}

static bool reaches(const struct event *event, double offset) {
  return offset - event->end_offset <= REACH;
}

static bool has_room(const struct event *event, const struct line *line) {
  return event->lines < MOST_LINES && event->bytes + length_of(line->text) < MOST_BYTES;
}

static struct piece piece_of(struct bytes text) {
  return (struct piece){text.at, text.end, NO_PIECE, false};
}

static int join(const struct run *run, int32_t slot, const struct line *line) {
  struct log *log = run->log;
  struct event *event = &log->events[slot];
  if (!add_line(log, event, piece_of(line->text))) return NO_MEMORY;
  event->lines++, event->bytes += 1 + (uint32_t)length_of(line->text);
  event->held += (uint32_t)(line->next - line->offset);
  event->end_offset = line->next, event->end_ms = run->block->near_ms;
  event->is_collecting = event->match.place == OPENS && goes_on(log->table, line->text);
  log->last = slot, run->block->is_last_held = 0;
  return GOES_ON;
}

/* The time of a line that begins an event: its own, unless the caller must judge it, or that of a
 * line without one. */
static bool is_timed(const struct run *run, struct line *line) {
  const struct block *block = run->block;
  line->ms = line->match.ms;
  if (!isnan(line->ms)) return fabs(line->ms - block->near_ms) <= FAR_MS;
  line->ms = block->undated_ms;
  if (run->has_dated)
    line->ms = floor(block->last_ms / DAY_MS) == block->undated_day ? block->last_ms : NAN;
  return !isnan(line->ms);
}

/* A line that begins an event is taken. */
static void date(struct run *run, const struct line *line) {
  struct block *block = run->block;
  if (!isnan(line->match.ms)) {
    block->last_ms = block->near_ms = line->ms;
    block->is_dated = run->has_dated = true;
  } else if (run->has_dated) {
    block->is_undated_later = 1;
  } else {
    block->undated_offset = line->offset;
  }
}

static void fill(const struct run *run, struct event *event, const struct line *line) {
  const struct match *match = &line->match;
  event->first = piece_of(line->text);
  event->lines = 1, event->bytes = (uint32_t)length_of(line->text);
  event->held = (uint32_t)(line->next - line->offset);
  event->offset = line->offset, event->end_offset = line->next;
  event->ms = line->ms, event->is_dated = !isnan(match->ms);
  event->end_ms = event->is_dated ? line->ms : run->block->near_ms;
  event->is_collecting = line->place == OPENS && run->log->table->goes_on != NO_SET;
  memcpy(&event->match, match,
         offsetof(struct match, captures) + run->log->table->captures * sizeof *match->captures);
}

/* A line that is an event by itself. */
static int pass(struct run *run, struct line *line) {
  struct event event;
  if (!is_timed(run, line)) return STOP_LINE;
  int stop = end_last(run);
  if (stop != GOES_ON) return stop;
  fill(run, &event, line);
  stop = write_event(run, &event);
  if (stop == GOES_ON) date(run, line);
  return stop;
}

static int begin(struct run *run, struct line *line) {
  struct log *log = run->log;
  uint32_t process = line->match.process;
  if (!is_timed(run, line)) return STOP_LINE;
  if (is_held(run->block, process)) {
    run->block->stop_at = process;
    return STOP_HELD;
  }
  int32_t slot = find_event(log, process);
  if (slot >= 0) {
    /* The slot is used again. */
    int stop = write_event(run, &log->events[slot]);
    if (stop != GOES_ON) return stop;
    free_pieces(log, &log->events[slot]);
  } else {
    if (log->count == EVENTS) return STOP_MANY;
    if (!has_slot(log)) return NO_MEMORY;
    slot = (int32_t)log->count++;
    log->processes[slot] = process;
  }
  fill(run, &log->events[slot], line);
  log->last = slot, run->block->is_last_held = 0;
  date(run, line);
  return GOES_ON;
}

static int resume(struct run *run, struct line *line) {
  const struct log *log = run->log;
  int32_t slot = find_event(log, line->match.process);
  if (slot < 0) return begin(run, line);
  const struct event *event = &log->events[slot];
  const uint8_t *first = event->first.at;
  bool joins = reaches(event, line->offset) && has_room(event, line) &&
               is_same(log->table, &event->match, first, &line->match, line->text.at);
  return joins ? join(run, slot, line) : begin(run, line);
}

static int take(struct run *run, struct line *line) {
  struct log *log = run->log;
  struct block *block = run->block;
  struct dates dates = {log->zone, block->last_ms, block->near_ms};
  match_line(log->table, &dates, line->text, run->readable, &line->match);
  line->place = log->layout.is_raw ? ALONE : line->match.place;
  if (log->last >= 0 && !reaches(&log->events[log->last], line->offset)) {
    int stop = end_last(run);
    if (stop != GOES_ON) return stop;
  }
  if (line->place == ALONE && log->last >= 0 && log->events[log->last].is_collecting)
    line->place = FOLLOWS;
  switch (line->place) {
    case BEGINS:
    case OPENS:
      return begin(run, line);
    case RESUMES:
      return is_held(block, line->match.process) ? STOP_LINE : resume(run, line);
    case FOLLOWS:
      if (log->last >= 0 && has_room(&log->events[log->last], line))
        return join(run, log->last, line);
      /* fall through */
    default:
      return block->is_last_held != 0 || block->alone_stops != 0 ? STOP_LINE : pass(run, line);
  }
}

/* The first event that no later line reaches; -1 if each is reached. */
static int32_t first_unreached(const struct log *log, double offset) {
  int32_t found = -1;
  for (uint32_t i = 0; i < log->count; i++) {
    const struct event *event = &log->events[i];
    bool is_first = found < 0 || event->offset < log->events[found].offset;
    if (is_first && !reaches(event, offset)) found = (int32_t)i;
  }
  return found;
}

static int end_unreached(const struct run *run) {
  double offset = run->block->base + run->block->at;
  for (int32_t slot; (slot = first_unreached(run->log, offset)) >= 0;) {
    int stop = end_event(run, slot);
    if (stop != GOES_ON) return stop;
  }
  return GOES_ON;
}

int scan(struct log *log, struct block *block, const uint8_t *chunk, size_t length,
         const struct openings *openings, struct writer *writer) {
  struct run run = {log, block, openings, writer, chunk, chunk + length, false};
  struct line line;
  const uint8_t *p = chunk + (size_t)block->at, *end = chunk + (size_t)block->end;
  int stop = GOES_ON;
  while (stop == GOES_ON && p < end) {
    const uint8_t *newline = find_newline(p, end);
    if (newline == NULL) break;
    line.text = (struct bytes){p, newline};
    if (newline > p && newline[-1] == '\r') line.text.end--;
    line.offset = block->base + (double)(p - chunk);
    line.next = block->base + (double)(newline + 1 - chunk);
    stop = (double)length_of(line.text) > block->longest ? STOP_LINE : take(&run, &line);
    if (stop == GOES_ON) p = newline + 1, block->taken++;
  }
  block->at = (double)(p - chunk);
  if (stop == GOES_ON) stop = end_unreached(&run);
  return stop == GOES_ON ? STOP_END : stop;
}
