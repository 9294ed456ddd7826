/* Runs of bytes of a set: sixteen at a time, if the set is of one or two ranges, or of all but
 * those. */
#include "log-match.h"

#define BLOCK 16

typedef uint8_t vector __attribute__((vector_size(16)));

/* Finds the ranges of bytes for which `has` is `wanted`; false if there are more than two. */
static bool find_ranges(struct set *set, uint8_t wanted) {
  int count = 0;
  for (int c = 0; c < 256; c++) {
    if (set->has[c] != wanted) continue;
    if (c > 0 && set->has[c - 1] == wanted) {
      set->more[count - 1]++;
    } else {
      if (count == 2) return false;
      set->low[count] = (uint8_t)c, set->more[count] = 0, count++;
    }
  }
  /* Of one range there are two that are equal. */
  if (count == 1) set->low[1] = set->low[0], set->more[1] = set->more[0];
  return count > 0;
}

void read_set(struct set *set, const uint8_t *bitmap) {
  for (int c = 0; c < 256; c++) set->has[c] = bitmap[c / 8] >> (c % 8) & 1;
  set->is_inside = !find_ranges(set, 0);
  set->is_simple = !set->is_inside || find_ranges(set, 1);
}

/* The number of bytes before the first that ends a run, of sixteen. */
static size_t before_end(const struct set *set, const uint8_t *p) {
  vector bytes;
  uint64_t half[2];
  memcpy(&bytes, p, BLOCK);
  vector found =
      (vector)(bytes - set->low[0] <= set->more[0]) | (vector)(bytes - set->low[1] <= set->more[1]);
  memcpy(half, &found, BLOCK);
  if (set->is_inside) half[0] = ~half[0], half[1] = ~half[1];
  /* The first byte is the lowest one. */
  if (half[0] != 0) return (size_t)__builtin_ctzll(half[0]) / 8;
  return half[1] == 0 ? BLOCK : 8 + (size_t)__builtin_ctzll(half[1]) / 8;
}

const uint8_t *after_run(const struct set *set, const uint8_t *p, const uint8_t *end,
                         const uint8_t *readable) {
  while (set->is_simple && p < end && readable - p >= BLOCK) {
    size_t count = before_end(set, p);
    if (count >= (size_t)(end - p)) return end;
    p += count;
    if (count < BLOCK) return p;
  }
  while (p < end && set->has[*p]) p++;
  return p;
}
