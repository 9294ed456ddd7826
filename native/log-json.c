/* Lines of names and values: a JSON object, and pairs of logfmt. */
#include "log-match.h"

#define LONGEST (64 * 1024)
#define DEEPEST 32
#define LONGEST_NAME 64

static const uint8_t *spaces(const uint8_t *p, const uint8_t *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
  return p;
}

static bool is_hex(uint8_t c) { return is_digit(c) || (uint8_t)((c | 32) - 'a') < 6; }

/* The position after a string, whose quote is at p; NULL if it is not one. */
static const uint8_t *string(const uint8_t *p, const uint8_t *end) {
  for (p++; p < end && *p != '"'; p++) {
    if (*p < 32) return NULL;
    if (*p != '\\') continue;
    if (++p == end || memchr("\"\\/bfnrtu", *p, 9) == NULL) return NULL;
    if (*p != 'u') continue;
    if (end - p < 5) return NULL;
    for (int i = 1; i <= 4; i++)
      if (!is_hex(p[i])) return NULL;
    p += 4;
  }
  return p < end ? p + 1 : NULL;
}

static const uint8_t *some_digits(const uint8_t *p, const uint8_t *end) {
  const uint8_t *start = p;
  while (p < end && is_digit(*p)) p++;
  return p == start ? NULL : p;
}

static const uint8_t *number(const uint8_t *p, const uint8_t *end) {
  if (*p == '-') p++;
  const uint8_t *start = p;
  p = some_digits(p, end);
  if (p == NULL || (*start == '0' && p - start > 1)) return NULL;
  if (p < end && *p == '.' && (p = some_digits(p + 1, end)) == NULL) return NULL;
  if (p == end || (*p | 32) != 'e') return p;
  p++;
  return some_digits(p + (p < end && (*p == '+' || *p == '-')), end);
}

static const uint8_t *scalar(const uint8_t *p, const uint8_t *end) {
  static const char *words[] = {"true", "false", "null"};
  if (*p == '"') return string(p, end);
  if (*p == '-' || is_digit(*p)) return number(p, end);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - p) >= length && memcmp(p, words[i], length) == 0) return p + length;
  }
  return NULL;
}

/* A name and the colon: the position of the value, if the name is a valid one. */
static const uint8_t *named(const uint8_t *p, const uint8_t *end) {
  if (p == end || *p != '"') return NULL;
  p = string(p, end);
  if (p == NULL) return NULL;
  p = spaces(p, end);
  return p < end && *p == ':' ? spaces(p + 1, end) : NULL;
}

/* The position after a value: no recursion, so that depth costs no stack. */
static const uint8_t *value(const uint8_t *p, const uint8_t *end) {
  bool is_object[DEEPEST + 1];
  int depth = 1; /* the object in which it stands */
  for (;;) {
    if (p == end) return NULL;
    if (*p == '{' || *p == '[') {
      if (++depth > DEEPEST) return NULL;
      bool opens_object = is_object[depth] = *p == '{';
      p = spaces(p + 1, end);
      if (p == end || *p != (opens_object ? '}' : ']')) {
        if (opens_object && (p = named(p, end)) == NULL) return NULL;
        continue;
      }
      p++, depth--;
    } else if ((p = scalar(p, end)) == NULL) {
      return NULL;
    }
    for (;;) {
      if (depth == 1) return p;
      p = spaces(p, end);
      if (p == end) return NULL;
      if (*p != (is_object[depth] ? '}' : ']')) break;
      p++, depth--;
    }
    if (*p != ',') return NULL;
    p = spaces(p + 1, end);
    if (is_object[depth] && (p = named(p, end)) == NULL) return NULL;
  }
}

/* The row of keys with this one; NULL if there is none. */
static const uint8_t *key_of(const uint8_t *rows, int count, struct bytes name) {
  for (; count > 0; count--, rows += 2 + rows[1])
    if (is_equal((struct bytes){rows + 2, rows + 2 + rows[1]}, name)) return rows;
  return NULL;
}

static void set(struct match *match, uint8_t capture, const uint8_t *line, const uint8_t *at,
                const uint8_t *end) {
  match->captures[capture] = (struct range){(uint32_t)(at - line), 0, (uint32_t)(end - line)};
  match->set |= 1ull << capture;
}

const uint8_t *match_json(const uint8_t *op, const uint8_t *line, struct bytes rest,
                          struct match *match) {
  const uint8_t *p = spaces(rest.at, rest.end), *end = rest.end;
  if (length_of(rest) > LONGEST || p == end || *p != '{') return NULL;
  p = spaces(p + 1, end);
  if (p < end && *p == '}') return spaces(p + 1, end) == end ? end : NULL;
  for (;;) {
    const uint8_t *name = p, *at = named(p, end);
    p = at == NULL ? NULL : value(at, end);
    if (p == NULL) return NULL;
    struct bytes key = {name + 1, string(name, end) - 1};
    const uint8_t *row = key_of(op + 2, op[1], key);
    int quote = *at == '"';
    if (row != NULL) set(match, *row, line, at + quote, p - quote);
    p = spaces(p, end);
    if (p == end) return NULL;
    if (*p == '}') return spaces(p + 1, end) == end ? end : NULL;
    if (*p != ',') return NULL;
    p = spaces(p + 1, end);
  }
}

static bool is_space(uint8_t c) { return c == ' ' || (c >= 9 && c <= 13); }

static bool is_name(uint8_t c) {
  return is_digit(c) || (uint8_t)((c | 32) - 'a') < 26 || c == '_' || c == '@' || c == '.' ||
         c == '-';
}

/* A value and what is taken as it: the position after it; NULL if it is not one. */
static const uint8_t *pair_value(const uint8_t *p, const uint8_t *end, struct bytes *text) {
  bool is_quoted = p < end && *p == '"';
  text->at = p + is_quoted;
  if (is_quoted) {
    for (p++; p < end && *p != '"'; p++)
      if (*p == '\\' && ++p == end) return NULL;
    if (p == end) return NULL;
  } else {
    while (p < end && !is_space(*p) && *p != '"') p++;
  }
  text->end = p;
  p += is_quoted;
  return p == end || is_space(*p) ? p : NULL;
}

const uint8_t *match_pairs(const uint8_t *op, const uint8_t *line, struct bytes rest,
                           struct match *match) {
  const uint8_t *p = rest.at, *end = rest.end;
  uint64_t found = 0;
  for (int i = 0; i < op[1]; i++) {
    const uint8_t *name = p, *after;
    struct bytes text;
    while (name < end && is_space(*name)) name++;
    for (after = name; after < end && is_name(*after);) after++;
    if (after == name || after - name > LONGEST_NAME || after == end || *after != '=') break;
    const uint8_t *next = pair_value(after + 1, end, &text);
    if (next == NULL) break;
    const uint8_t *row = key_of(op + 3, op[2], (struct bytes){name, after});
    if (row != NULL && (found >> *row & 1) == 0) {
      set(match, *row, line, text.at, text.end);
      found |= 1ull << *row;
    }
    p = next;
  }
  return p;
}
