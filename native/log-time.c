/*
 * Times by a layout, a letter or character at a time:
 *
 *   Y y m n b d e h H N M s S   digits, or the name of a month     f F   a fraction, F: required
 *   z Z a c U                   zones; Z: required, a: also after a space, U: UTC    _   spaces
 *
 * The start of a minute is computed once, since lines are in order and no zone changes its offset
 * within a minute.
 */
#include <math.h>
#include <stdlib.h>

#include "log-match.h"

#define MINUTE_MS 60000.0
/* How much older than the line before it a line may be: see inOrder of src/logship/time/wall.ts. */
#define DISORDER_MS (10 * MINUTE_MS)
#define GUESSES 3
#define CLOCKS 8
/* Unix times of these years, in seconds. */
#define EARLIEST_S 1e9
#define LATEST_S 1e10
/* What an impossible date does, in the flags of the operation. */
enum { IS_BAD = 0, FAILS = 128, WIDTH = 63 };

/* What a text says. */
struct wall {
  uint32_t year, month, day, hour, minute, second, ms;
  int32_t ahead; /* of UTC, in minutes */
  bool has_year, has_zone;
};

/* The minute that an operation has read last; without a year in each of those that may be meant. */
static struct clock {
  const uint8_t *operation;
  const struct zone *zone;
  double year; /* the first one that may be meant; 0 if the text has it */
  struct start starts[GUESSES];
  uint8_t text[WIDTH];
} clocks[CLOCKS];

void forget_times(void) { memset(clocks, 0, sizeof clocks); }

static struct start start_of(const struct zone *zone, const struct wall *wall, double year) {
  struct start start = {NAN, NAN, NAN};
  if (wall->hour > 23 || wall->minute > 59 || wall->month < 1 || wall->month > 12) return start;
  /* As ECMA-262 has it. */
  if (year < 100) year += 1900;
  if (wall->day < 1 || wall->day > days_in(year, wall->month)) return start;
  start.wall =
      days_of(year, wall->month, wall->day) * DAY_MS + (wall->hour * 60 + wall->minute) * MINUTE_MS;
  resolve(zone, &start);
  return start;
}

/* From `least` to `most` digits: the position after them; NULL if there are fewer. */
static const uint8_t *digits(const uint8_t *p, const uint8_t *end, int least, int most,
                             uint32_t *value) {
  int count = 0;
  for (*value = 0; count < most && p < end && is_digit(*p); count++)
    *value = *value * 10 + (uint32_t)(*p++ - '0');
  return count < least ? NULL : p;
}

static const uint8_t *month_name(const uint8_t *p, const uint8_t *end, uint32_t *month) {
  static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (end - p < 3) return NULL;
  for (*month = 1; *month <= 12; ++*month)
    if (memcmp(p, names + 3 * (*month - 1), 3) == 0) return p + 3;
  return NULL;
}

static const uint8_t *fraction(const uint8_t *p, const uint8_t *end, uint32_t *ms) {
  if (end - p < 2 || (*p != '.' && *p != ',') || !is_digit(p[1])) return NULL;
  *ms = 0;
  uint32_t weight = 100;
  for (p++; p < end && is_digit(*p); p++, weight /= 10) *ms += (uint32_t)(*p - '0') * weight;
  return p;
}

static bool is_word(const uint8_t *p, const uint8_t *end) {
  return p < end && (is_digit(*p) || *p == '_' || (uint8_t)((*p | 32) - 'a') < 26);
}

/* Minutes of an offset after its hours. */
static const uint8_t *zone_minutes(const uint8_t *p, const uint8_t *end, bool needs_colon,
                                   uint32_t *minutes) {
  bool has_colon = p < end && *p == ':';
  if (needs_colon && !has_colon) return NULL;
  p = digits(p + has_colon, end, 2, 2, minutes);
  return p == NULL || *minutes > 59 ? NULL : p;
}

/* A zone: Z, UTC, GMT, +hh, +hhmm, +hh:mm; or only the last one. No digit may follow, but there. */
static const uint8_t *zone_of(const uint8_t *p, const uint8_t *end, bool needs_colon,
                              struct wall *wall) {
  if (p == end) return NULL;
  bool is_utc = !needs_colon && end - p >= 3 && (!memcmp(p, "UTC", 3) || !memcmp(p, "GMT", 3));
  uint32_t hours, minutes = 0;
  if (is_utc || (*p == 'Z' && !needs_colon)) {
    p += is_utc ? 3 : 1;
    if (is_word(p, end)) return NULL;
    wall->ahead = 0, wall->has_zone = true;
    return p;
  }
  if (*p != '+' && *p != '-') return NULL;
  int sign = *p == '-' ? -1 : 1;
  p = digits(p + 1, end, 2, 2, &hours);
  if (p == NULL || hours > 14) return NULL;
  const uint8_t *after = zone_minutes(p, end, needs_colon, &minutes);
  if (after != NULL && !needs_colon && after < end && is_digit(*after)) after = NULL;
  if (after == NULL && (needs_colon || (p < end && is_digit(*p)))) return NULL;
  wall->ahead = sign * (int32_t)(hours * 60 + (after == NULL ? 0 : minutes));
  wall->has_zone = true;
  return after == NULL ? p : after;
}

/* One letter of a layout: the position after what it takes; NULL if the text differs. */
static const uint8_t *letter(uint8_t which, const uint8_t *p, const uint8_t *end,
                             struct wall *wall) {
  const uint8_t *q;
  switch (which) {
    case 'Y':
      return digits(p, end, 4, 4, &wall->year);
    case 'y':
      q = digits(p, end, 2, 2, &wall->year), wall->year += 2000;
      return q;
    case 'm':
    case 'n':
      return digits(p, end, which == 'm' ? 2 : 1, 2, &wall->month);
    case 'b':
      return month_name(p, end, &wall->month);
    case 'd':
      return digits(p, end, 2, 2, &wall->day);
    case 'e':
      return digits(p + (p < end && *p == ' '), end, 1, 2, &wall->day);
    case 'H':
    case 'h':
      return digits(p, end, which == 'H' ? 2 : 1, 2, &wall->hour);
    case 'M':
    case 'N':
      return digits(p, end, which == 'M' ? 2 : 1, 2, &wall->minute);
    case 'S':
    case 's':
      return digits(p, end, which == 'S' ? 2 : 1, 2, &wall->second);
    case 'f':
    case 'F':
      q = fraction(p, end, &wall->ms);
      return q == NULL && which == 'f' ? p : q;
    case 'z':
    case 'Z':
    case 'a':
    case 'c':
      q = zone_of(p + (which == 'a' && p < end && *p == ' '), end, which == 'c', wall);
      return q == NULL && which != 'Z' ? p : q;
    case 'U':
      wall->ahead = 0, wall->has_zone = true;
      return p;
    case '_':
      for (q = p; q < end && *q == ' ';) q++;
      return q == p ? NULL : q;
    default:
      return p < end && *p == which ? p + 1 : NULL;
  }
}

/* See inOrder of src/logship/time/wall.ts. */
static double in_order(const struct start *start, double rest, double last_ms) {
  return (start->first + rest < last_ms - DISORDER_MS ? start->second : start->first) + rest;
}

static double time_in(const struct dates *dates, const struct clock *clock,
                      const struct wall *wall) {
  double rest = wall->second * 1000.0 + wall->ms, found = NAN;
  if (wall->second > 60) return NAN;
  for (int i = 0; i < (clock->year == 0 ? 1 : GUESSES); i++) {
    const struct start *start = &clock->starts[i];
    double ms = wall->has_zone ? start->wall + rest - wall->ahead * MINUTE_MS
                               : in_order(start, rest, dates->last_ms);
    if (isnan(ms)) continue;
    if (!(fabs(ms - dates->near_ms) >= fabs(found - dates->near_ms))) found = ms;
  }
  return found;
}

static void enter(struct clock *clock, const struct dates *dates, const struct wall *wall) {
  clock->zone = dates->zone;
  clock->year = wall->has_year ? 0 : year_of(dates->near_ms) - 1;
  for (int i = 0; i < (wall->has_year ? 1 : GUESSES); i++)
    clock->starts[i] = isnan(clock->year) ? (struct start){NAN, NAN, NAN}
                                          : start_of(dates->zone, wall,
                                                     wall->has_year ? wall->year : clock->year + i);
}

static bool is_current(const struct clock *clock, const struct dates *dates, const uint8_t *op,
                       struct bytes rest) {
  size_t width = op[1] & WIDTH;
  return width > 0 && clock->operation == op && clock->zone == dates->zone &&
         length_of(rest) >= width && memcmp(rest.at, clock->text, width) == 0 &&
         (clock->year == 0 || clock->year == year_of(dates->near_ms) - 1);
}

const uint8_t *match_time(const struct dates *dates, const uint8_t *op, struct bytes rest,
                          struct match *match) {
  struct clock *clock = &clocks[(uintptr_t)op % CLOCKS], unknown;
  const uint8_t *layout = op + 4, *seconds = layout + op[2], *end = layout + op[3], *p = rest.at;
  size_t width = op[1] & WIDTH;
  struct wall wall = {0};
  bool is_known = is_current(clock, dates, op, rest);
  if (is_known) p += width, layout = seconds;
  const uint8_t *minute = NULL;
  for (; p != NULL && layout < end; layout++) {
    if (layout == seconds) minute = p;
    wall.has_year |= *layout == 'Y' || *layout == 'y';
    p = letter(*layout, p, rest.end, &wall);
  }
  if (p == NULL) return NULL;
  if (!is_known) {
    bool is_kept = width > 0 && minute == rest.at + width;
    if (!is_kept) clock = &unknown;
    enter(clock, dates, &wall);
    clock->operation = op;
    if (is_kept) memcpy(clock->text, rest.at, width);
  }
  double ms = time_in(dates, clock, &wall);
  match->is_of_no_year |= isnan(ms) && clock->year != 0;
  int impossible = op[1] & ~WIDTH;
  if (isnan(ms) && impossible == FAILS) return NULL;
  match->ms = ms, match->is_bad |= isnan(ms) && impossible == IS_BAD;
  return p;
}

const uint8_t *match_epoch(struct bytes rest, struct match *match) {
  char number[65];
  size_t length = 0;
  const uint8_t *p = rest.at;
  while (p < rest.end && is_digit(*p) && length < 19) number[length++] = (char)*p++;
  if (length < 10) return NULL;
  if (rest.end - p >= 2 && *p == '.' && is_digit(p[1])) {
    number[length++] = '.';
    for (p++; p < rest.end && is_digit(*p); p++)
      if (length < sizeof number - 1) number[length++] = (char)*p;
  }
  number[length] = 0;
  double seconds = strtod(number, NULL);
  while (seconds >= LATEST_S) seconds /= 1000;
  if (seconds < EARLIEST_S) return NULL;
  match->ms = floor(seconds * 1000);
  return p;
}
