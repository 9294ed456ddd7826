/* Dates of the Gregorian calendar, and zones. */
#include <math.h>

#include "log-match.h"

double days_of(double year, uint32_t month, uint32_t day) {
  int64_t y = (int64_t)year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400;
  int64_t of_era = y - era * 400, of_year = (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day;
  return (double)(era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719469);
}

uint32_t days_in(double year, uint32_t month) {
  static const uint8_t most[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool is_leap = fmod(year, 4) == 0 && (fmod(year, 100) != 0 || fmod(year, 400) == 0);
  return most[month - 1] + (uint32_t)(month == 2 && is_leap);
}

static double offset_at(const struct zone *zone, double utc) {
  size_t low = 0, high = zone->count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (zone->pairs[2 * middle] <= utc)
      low = middle;
    else
      high = middle;
  }
  return zone->pairs[2 * low + 1];
}

void resolve(const struct zone *zone, struct start *start) {
  double before = offset_at(zone, start->wall - DAY_MS);
  double after = offset_at(zone, start->wall + DAY_MS);
  double old = start->wall - before, next = start->wall - after;
  bool is_old = offset_at(zone, old) == before, is_next = offset_at(zone, next) == after;
  start->first = is_next && !is_old ? next : old;
  start->second = is_next ? next : old;
}

double year_of(double ms) {
  if (!(fabs(ms) <= 8.64e15)) return NAN;
  double day = floor(ms / DAY_MS), year = 1970 + floor(day / 365.2425);
  while (days_of(year, 1, 1) > day) year--;
  while (days_of(year + 1, 1, 1) <= day) year++;
  return year;
}

void date_of(double days, double *year, uint32_t *month, uint32_t *day) {
  *year = year_of(days * DAY_MS);
  double first = days_of(*year, 1, 1);
  for (*month = 12; *month > 1 && days_of(*year, *month, 1) > days;) --*month;
  first = days_of(*year, *month, 1);
  *day = (uint32_t)(days - first) + 1;
}
