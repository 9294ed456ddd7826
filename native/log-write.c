/* Writes the parts of a request: text, times and ids. */
#include <math.h>

#include "log.h"

#define OFFSET_DIGITS 9
/* The last digits of an offset, and the number of their values. */
#define LOW_DIGITS 5
#define LOW 60466176
#define BLOCK 16
/* Of a Date. */
#define MOST_MS 8.64e15
#define LONGEST_STAMP 27

typedef uint8_t vector __attribute__((vector_size(16)));
typedef int8_t signed_vector __attribute__((vector_size(16)));
typedef uint32_t lanes __attribute__((vector_size(16)));

/* The length of a character at p, or of what one U+FFFD replaces, as WHATWG's decoder has it. */
static size_t utf8(const uint8_t *p, const uint8_t *end, bool *is_valid) {
  uint8_t c = *p, low = 0x80, high = 0xbf;
  size_t more = c < 0xc2 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 0, i = 1;
  if (c == 0xe0) low = 0xa0;
  if (c == 0xed) high = 0x9f;
  if (c == 0xf0) low = 0x90;
  if (c == 0xf4) high = 0x8f;
  for (; i <= more && p + i < end && p[i] >= low && p[i] <= high; i++) low = 0x80, high = 0xbf;
  *is_valid = c < 0x80 || (more > 0 && i == more + 1);
  return i;
}

static void put_escape(struct writer *writer, uint8_t c) {
  char text[] = "\\u0000";
  size_t length = 2;
  if (c >= 32) {
    text[1] = (char)c;
  } else if (c >= 8 && c <= 13 && c != 11) {
    text[1] = "btn?fr"[c - 8];
  } else {
    text[4] = (char)('0' + (c >> 4)), text[5] = "0123456789abcdef"[c & 15];
    length = 6;
  }
  put(writer, text, length);
}

/* One character: the position after it. */
static const uint8_t *put_character(struct writer *writer, const uint8_t *p, const uint8_t *end,
                                    bool is_json) {
  if (*p < 0x80) {
    if (!is_json && (*p < 32 || *p == '"' || *p == '\\'))
      put_escape(writer, *p);
    else
      put(writer, p, 1);
    return p + 1;
  }
  bool is_valid;
  size_t length = utf8(p, end, &is_valid);
  if (is_valid)
    put(writer, p, length);
  else
    put(writer, "\xef\xbf\xbd", 3);
  return p + length;
}

/* The number of bytes that stand for themselves, of sixteen. */
static size_t plain(vector bytes) {
  /* Bytes from 128 are negative. */
  vector found =
      (vector)((signed_vector)bytes < 32) | (vector)(bytes == '"') | (vector)(bytes == '\\');
  uint64_t half[2];
  memcpy(half, &found, BLOCK);
  /* The first byte is the lowest one. */
  if (half[0] != 0) return (size_t)__builtin_ctzll(half[0]) / 8;
  return half[1] == 0 ? BLOCK : 8 + (size_t)__builtin_ctzll(half[1]) / 8;
}

const uint8_t *find_newline(const uint8_t *p, const uint8_t *end) {
  for (; end - p >= BLOCK; p += BLOCK) {
    vector bytes;
    uint64_t half[2];
    memcpy(&bytes, p, BLOCK);
    bytes = (vector)(bytes == '\n');
    memcpy(half, &bytes, BLOCK);
    if (half[0] != 0) return p + __builtin_ctzll(half[0]) / 8;
    if (half[1] != 0) return p + 8 + __builtin_ctzll(half[1]) / 8;
  }
  while (p < end && *p != '\n') p++;
  return p < end ? p : NULL;
}

struct bytes first_line(struct bytes text) {
  const uint8_t *end = find_newline(text.at, text.end);
  return end == NULL ? text : (struct bytes){text.at, end};
}

void put_text(struct writer *writer, struct bytes text, const uint8_t *readable, bool is_json) {
  const uint8_t *p = text.at;
  while (p < text.end && !writer->is_full) {
    uint8_t *to = writer->to;
    bool is_found = false;
    while (!is_found && readable - p >= BLOCK && writer->limit - to >= BLOCK) {
      vector bytes;
      memcpy(&bytes, p, BLOCK);
      memcpy(to, &bytes, BLOCK);
      size_t count = plain(bytes), left = (size_t)(text.end - p);
      is_found = count < BLOCK;
      if (count >= left) {
        writer->to = to + left;
        return;
      }
      p += count, to += count;
    }
    writer->to = to;
    p = put_character(writer, p, text.end, is_json);
  }
}

static char *put_digits(char *to, uint32_t value, int width) {
  for (int i = width; i-- > 0; value /= 10) to[i] = (char)('0' + value % 10);
  return to + width;
}

/* A date and a T: the position after them. */
static char *put_date(char *to, double days) {
  double year;
  uint32_t month, day;
  date_of(days, &year, &month, &day);
  bool is_long = year < 0 || year > 9999;
  if (is_long) *to++ = year < 0 ? '-' : '+';
  to = put_digits(to, (uint32_t)fabs(year), is_long ? 6 : 4);
  *to++ = '-';
  to = put_digits(to, month, 2);
  *to++ = '-';
  to = put_digits(to, day, 2);
  *to++ = 'T';
  return to;
}

/* Times are in order, so that a day and a second are formatted once. */
void put_stamp(struct writer *writer, double ms) {
  static struct {
    double day, start; /* of the second */
    char *time, text[LONGEST_STAMP + SPARE];
  } kept = {.day = NAN, .start = NAN};
  if (!(fabs(ms) <= MOST_MS)) ms = 0;
  if (!(ms >= kept.day && ms - kept.day < DAY_MS)) {
    double days = floor(ms / DAY_MS);
    kept.time = put_date(kept.text, days);
    kept.day = days * DAY_MS, kept.start = NAN;
  }
  if (!(ms >= kept.start && ms - kept.start < 1000)) {
    uint32_t second = (uint32_t)((ms - kept.day) / 1000);
    char *to = put_digits(kept.time, second / 3600, 2);
    *to++ = ':';
    to = put_digits(to, second / 60 % 60, 2);
    *to++ = ':';
    to = put_digits(to, second % 60, 2);
    *to++ = '.';
    to[3] = 'Z';
    kept.start = kept.day + second * 1000.0;
  }
  const uint8_t *text = (const uint8_t *)kept.text;
  char *end = put_digits(kept.time + 9, (uint32_t)(ms - kept.start), 3) + 1;
  put_own(writer, (struct bytes){text, (const uint8_t *)end});
}

static uint32_t mixed(uint32_t hash, uint32_t word) {
  word *= 0xcc9e2d51;
  word = (word << 15 | word >> 17) * 0x1b873593;
  hash ^= word;
  return (hash << 13 | hash >> 19) * 5 + 0xe6546b64;
}

static lanes mixed_lanes(lanes hash, const uint8_t *p) {
  lanes words;
  memcpy(&words, p, BLOCK);
  words *= 0xcc9e2d51;
  words = (words << 15 | words >> 17) * 0x1b873593;
  hash ^= words;
  hash = hash << 13 | hash >> 19;
  return (hash << 2) + hash + 0xe6546b64;
}

/* @param p the bytes after the last block */
static uint32_t finished(lanes sums, const uint8_t *p, size_t left, size_t length) {
  uint32_t hash = mixed(mixed(mixed(sums[0], sums[1]), sums[2]), sums[3]), word;
  for (; left >= 4; left -= 4, p += 4) {
    memcpy(&word, p, 4);
    hash = mixed(hash, word);
  }
  word = 0;
  for (size_t i = left; i-- > 0;) word = word << 8 | p[i];
  if (left > 0) hash = mixed(hash, word);
  hash ^= (uint32_t)length;
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

static bool is_utf8(struct bytes text) {
  bool is_valid = true;
  for (const uint8_t *p = text.at; is_valid && p < text.end;)
    p += *p < 0x80 ? 1 : utf8(p, text.end, &is_valid);
  return is_valid;
}

/* The digest of what a line is decoded to. */
static uint32_t decoded_digest(struct bytes line) {
  lanes sums = {0};
  uint8_t block[BLOCK];
  size_t length = 0;
  for (const uint8_t *p = line.at; p < line.end;) {
    bool is_valid;
    size_t count = utf8(p, line.end, &is_valid), written = is_valid ? count : 3;
    for (size_t i = 0; i < written; i++) {
      block[length++ % BLOCK] = is_valid ? p[i] : (uint8_t)"\xef\xbf\xbd"[i];
      if (length % BLOCK == 0) sums = mixed_lanes(sums, block);
    }
    p += count;
  }
  return finished(sums, block, length % BLOCK, length);
}

/* See lineDigest of src/logship/tables/line-digest.ts. */
static uint32_t digest(struct bytes line) {
  lanes sums = {0}, all = {0};
  const uint8_t *p = line.at;
  for (; line.end - p >= BLOCK; p += BLOCK) {
    lanes words;
    memcpy(&words, p, BLOCK);
    all |= words, sums = mixed_lanes(sums, p);
  }
  uint32_t high = all[0] | all[1] | all[2] | all[3];
  for (const uint8_t *q = p; q < line.end; q++) high |= *q;
  if ((high & 0x80808080) != 0 && !is_utf8(line)) return decoded_digest(line);
  return finished(sums, p, (size_t)(line.end - p), length_of(line));
}

static void base36(char *to, uint32_t value, int count) {
  while (count-- > 0) {
    to[count] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    value /= 36;
  }
}

void put_digest(struct writer *writer, struct bytes line) {
  char digits[DIGEST_DIGITS];
  base36(digits, digest(line), DIGEST_DIGITS);
  put(writer, digits, sizeof digits);
}

void put_id(struct writer *writer, double offset, struct bytes line) {
  char digits[OFFSET_DIGITS];
  uint64_t whole = (uint64_t)offset;
  /* Numbers of 32 bits: divisions of longer ones cost more. */
  base36(digits, (uint32_t)(whole / LOW), OFFSET_DIGITS - LOW_DIGITS);
  base36(digits + OFFSET_DIGITS - LOW_DIGITS, (uint32_t)(whole % LOW), LOW_DIGITS);
  put(writer, digits, sizeof digits);
  put_digest(writer, line);
}
