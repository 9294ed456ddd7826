/* The open events of a file: their memory is there only while there are some. */
#include <stdlib.h>

#include "log.h"

#define FIRST_ROOM 4

void forget_events(struct log *log) {
  free(log->events), free(log->processes), free(log->pieces), free(log->kept);
  log->events = NULL, log->processes = NULL, log->pieces = NULL, log->kept = NULL;
  log->count = log->room = log->used_pieces = log->piece_room = 0;
  log->free_piece = NO_PIECE, log->last = -1, log->chunk = NULL;
}

void free_pieces(struct log *log, struct event *event) {
  if (event->first.next == NO_PIECE) return;
  log->pieces[event->last_piece].next = log->free_piece;
  log->free_piece = event->first.next;
  event->first.next = NO_PIECE;
}

int32_t find_event(const struct log *log, uint32_t process) {
  if (log->last >= 0 && log->processes[log->last] == process) return log->last;
  for (uint32_t i = 0; i < log->count; i++)
    if (log->processes[i] == process) return (int32_t)i;
  return -1;
}

/* Enlarges an array to twice its room. */
static bool grow(void **array, uint32_t room, size_t size) {
  void *larger = realloc(*array, size * room);
  if (larger != NULL) *array = larger;
  return larger != NULL;
}

bool has_slot(struct log *log) {
  if (log->count < log->room) return true;
  uint32_t room = log->room == 0 ? FIRST_ROOM : 2 * log->room;
  if (!grow((void **)&log->events, room, sizeof *log->events) ||
      !grow((void **)&log->processes, room, sizeof *log->processes))
    return false;
  log->room = room;
  return true;
}

/* The number of a free piece; NO_PIECE without memory. */
static uint32_t new_piece(struct log *log) {
  uint32_t piece = log->free_piece;
  if (piece != NO_PIECE) {
    log->free_piece = log->pieces[piece].next;
    return piece;
  }
  if (log->used_pieces == log->piece_room) {
    uint32_t room = log->piece_room == 0 ? FIRST_ROOM : 2 * log->piece_room;
    if (!grow((void **)&log->pieces, room, sizeof *log->pieces)) return NO_PIECE;
    log->piece_room = room;
  }
  return log->used_pieces++;
}

bool add_line(struct log *log, struct event *event, struct piece line) {
  bool is_first = event->first.next == NO_PIECE;
  struct piece *last = is_first ? &event->first : &log->pieces[event->last_piece];
  if (!last->is_kept && last->end + 1 == line.at) {
    last->end = line.end;
    return true;
  }
  uint32_t piece = new_piece(log);
  if (piece == NO_PIECE) return false;
  log->pieces[piece] = line;
  if (is_first)
    event->first.next = piece;
  else
    log->pieces[event->last_piece].next = piece;
  event->last_piece = piece;
  return true;
}

uint8_t *copy_text(const struct log *log, const struct event *event, uint8_t *to) {
  for (const struct piece *piece = &event->first;; piece = &log->pieces[piece->next]) {
    size_t length = (size_t)(piece->end - piece->at);
    memcpy(to, piece->at, length);
    to += length;
    if (piece->next == NO_PIECE) return to;
    *to++ = '\n';
  }
}

bool keep_events(struct log *log) {
  if (log->count == 0) {
    forget_events(log);
    return true;
  }
  size_t size = SPARE;
  for (uint32_t i = 0; i < log->count; i++) size += log->events[i].bytes;
  uint8_t *kept = malloc(size), *to = kept;
  if (kept == NULL) return false;
  for (uint32_t i = 0; i < log->count; i++) {
    struct event *event = &log->events[i];
    uint8_t *end = copy_text(log, event, to);
    event->first = (struct piece){to, end, NO_PIECE, true};
    to = end;
  }
  memset(to, 0, SPARE);
  free(log->kept);
  log->kept = kept, log->chunk = NULL;
  log->used_pieces = 0, log->free_piece = NO_PIECE;
  return true;
}
