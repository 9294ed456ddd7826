// AssemblyScript: writes log lines as JSON, 16 bytes at a time. `build/wasm.ts` compiles it to src/logship/wasm/wasm.ts.
// It reads and writes up to 31 bytes beyond the given ranges; callers leave room for that.

const QUOTE: u32 = 34;
const BACKSLASH: u32 = 92;
const SPACE: u32 = 32;
const OPEN: u32 = 91;
const CLOSE: u32 = 93;
/** `req-` and `None` as little-endian words. */
const REQ: u32 = 0x2d716572;
const NONE: u32 = 0x656e6f4e;
/** Width of a key in the table of keys; its last byte is the key's length. */
const KEY: usize = 32;

@inline function copy(to: usize, from: usize, length: usize): usize {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  return to + length;
}

/** A bit for each byte that JSON escapes. */
@inline function special(bytes: v128): i32 {
  const quotes = v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92)));
  return i8x16.bitmask(v128.or(quotes, i8x16.lt_u(bytes, i8x16.splat(32))));
}

/** Copies with quotes and backslashes escaped; 0 if there is a control character. */
function escape(to: usize, from: usize, end: usize): usize {
  while (from < end) {
    const bytes = v128.load(from);
    let found = special(bytes);
    const left = end - from;
    if (left < 16) found &= (1 << <i32>left) - 1;
    v128.store(to, bytes);
    if (found == 0) {
      const length = min<usize>(16, left);
      to += length;
      from += length;
      continue;
    }
    const before = <usize>ctz(found);
    to += before;
    from += before;
    const c = <u32>load<u8>(from++);
    if (c < SPACE) return 0;
    store<u8>(to, BACKSLASH);
    store<u8>(to + 1, c);
    to += 2;
  }
  return to;
}

/** Copies text that needs no escaping; 0 if a byte needs it. */
function plain(to: usize, from: usize, end: usize): usize {
  for (; from < end; from += 16) {
    const bytes = v128.load(from);
    const left = end - from;
    let found = special(bytes);
    if (left < 16) found &= (1 << <i32>left) - 1;
    if (found != 0) return 0;
    v128.store(to, bytes);
    to += min<usize>(16, left);
  }
  return to;
}

/** A line as one text. Returns the end of what was written; 0 if there is a control character. */
export function raw(to: usize, from: usize, end: usize, head: usize, headLength: usize, tail: usize, tailLength: usize): usize {
  to = escape(copy(to, head, headLength), from, end);
  return to == 0 ? 0 : copy(to, tail, tailLength);
}

// Positions found by `time` and `scan`.
let timeEnd: usize, pidEnd: usize, levelEnd: usize, moduleEnd: usize, pid: u32;

/** Results of `time` and `begins`: no time, or a time in another minute. */
const NO_TIME: i32 = -1;
const OTHER_MINUTE: i32 = -2;

/** Milliseconds since the minute of `2026-11-20 08:15:42.123`, whose first 17 bytes are at `minute`. */
export function time(at: usize, end: usize, minute: usize): i32 {
  if (end - at <= 20) return NO_TIME;
  const same = i8x16.eq(v128.load(at), v128.load(minute));
  if (i8x16.bitmask(same) != 0xffff || load<u8>(at + 16) != load<u8>(minute + 16)) return OTHER_MINUTE;
  const tens = <u32>load<u8>(at + 17) - 48;
  const ones = <u32>load<u8>(at + 18) - 48;
  const mark = <u32>load<u8>(at + 19);
  if (tens > 5 || ones > 9 || (mark != 44 && mark != 46)) return NO_TIME;
  let ms = (tens * 10 + ones) * 1000;
  at += 20;
  const first = at;
  for (let weight: u32 = 100; at < end; at++, weight /= 10) {
    const digit = <u32>load<u8>(at) - 48;
    if (digit > 9) break;
    ms += digit * weight;
  }
  timeEnd = at;
  return at == first || (at < end && isZone(at, end)) ? NO_TIME : <i32>ms;
}

/** Whether a zone may follow the time: `Z`, `+02`, `UTC`, also after a space. */
function isZone(at: usize, end: usize): bool {
  let c = <u32>load<u8>(at);
  if (c == SPACE && at + 1 < end) c = load<u8>(at + 1);
  return c == 43 || c == 45 || c == 90 || c == 85 || c == 71;
}

/** Like `time`, for a line of oslo.log; NO_TIME unless the line certainly begins an event. */
export function begins(at: usize, end: usize, minute: usize): i32 {
  const ms = time(at, end, minute);
  if (ms < 0) return ms;
  return timeEnd == at + 23 && scan(timeEnd, end) != 0 ? ms : NO_TIME;
}

@inline function digits(end: usize, value: u32, count: usize): void {
  for (let at = end - 1; at >= end - count; at--) {
    const rest = value / 36;
    const digit = value - rest * 36;
    store<u8>(at, digit + (digit < 10 ? 48 : 87));
    value = rest;
  }
}

@inline function decimal(at: usize, value: u32): void {
  const tens = value / 10;
  store<u8>(at, 48 + tens);
  store<u8>(at + 1, 48 + value - tens * 10);
}

@inline function mixed(hash: u32, word: u32): u32 {
  word = rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593;
  return rotl<u32>(hash ^ word, 13) * 5 + 0xe6546b64;
}

@inline function rotatedLanes(words: v128, bits: i32): v128 {
  return v128.or(i32x4.shl(words, bits), i32x4.shr_u(words, 32 - bits));
}

@inline function mixedLanes(hashes: v128, words: v128): v128 {
  words = i32x4.mul(rotatedLanes(i32x4.mul(words, i32x4.splat(0xcc9e2d51)), 15), i32x4.splat(0x1b873593));
  hashes = rotatedLanes(v128.xor(hashes, words), 13);
  return i32x4.add(i32x4.add(i32x4.shl(hashes, 2), hashes), i32x4.splat(0xe6546b64));
}

/** The digest of a line, as in src/logship/position/line-digest.ts: MurmurHash3 in four lanes, and of what they result in. */
@inline function digest(from: usize, end: usize): u32 {
  const length = <u32>(end - from);
  let lanes = i32x4.splat(0);
  for (; from + 16 <= end; from += 16) lanes = mixedLanes(lanes, v128.load(from));
  let hash = mixed(<u32>i32x4.extract_lane(lanes, 0), <u32>i32x4.extract_lane(lanes, 1));
  hash = mixed(hash, <u32>i32x4.extract_lane(lanes, 2));
  hash = mixed(hash, <u32>i32x4.extract_lane(lanes, 3));
  for (; from + 4 <= end; from += 4) hash = mixed(hash, load<u32>(from));
  const rest = <u32>(end - from) * 8;
  if (rest > 0) hash = mixed(hash, load<u32>(from) & ((1 << rest) - 1));
  hash ^= length;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

/**
 * Writes an offset, `high * 36 ** 5 + low`, as nine digits of base 36, then the digest of the line from `from` to `end`
 * as seven digits, unless `end` is 0; and milliseconds since the minute as `42.123`.
 */
export function number(id: usize, high: u32, low: u32, from: usize, end: usize, at: usize, ms: u32): void {
  digits(id + 4, high, 4);
  digits(id + 9, low, 5);
  if (end != 0) digits(id + 16, digest(from, end), 7);
  const seconds = ms / 1000;
  ms -= seconds * 1000;
  const hundreds = ms / 100;
  decimal(at, seconds);
  store<u8>(at + 3, 48 + hundreds);
  decimal(at + 4, ms - hundreds * 100);
}

/** ID of the process that wrote the line scanned last. */
export function pidOf(): u32 {
  return pid;
}

/**
 * Scans the text after the time in a line of oslo.log: ` pid LEVEL module message`. Returns 1 if the line certainly
 * begins an event.
 */
function scan(at: usize, end: usize): i32 {
  timeEnd = at;
  if (load<u8>(at++) != SPACE) return 0;
  pid = 0;
  let c: u32 = load<u8>(at);
  for (; c - 48 < 10; c = load<u8>(++at)) pid = pid * 10 + c - 48;
  if (at == timeEnd + 1 || c != SPACE || at - timeEnd > 10) return 0;
  pidEnd = at;
  for (c = load<u8>(++at); c - 65 < 26; c = load<u8>(++at));
  if (at == pidEnd + 1 || c != SPACE) return 0;
  levelEnd = at;
  for (c = load<u8>(++at); c > SPACE; c = load<u8>(++at));
  if (at == levelEnd + 1 || c != SPACE || at >= end) return 0;
  moduleEnd = at;
  // A line of level ERROR or TRACE may be part of a traceback, unless a context follows.
  if (levelEnd - pidEnd != 6 || load<u8>(pidEnd + 1) == 68) return 1;
  if (at + 6 > end || load<u8>(at + 1) != OPEN) return 0;
  const word = load<u32>(at + 2);
  return word == REQ || word == NONE || (word & 0xffff) == 0x5d2d ? 1 : 0;
}

@inline function key(to: usize, keys: usize, nth: usize): usize {
  const at = keys + nth * KEY;
  v128.store(to, v128.load(at));
  v128.store(to + 16, v128.load(at + 16));
  return to + load<u8>(at + KEY - 1);
}

/** A line of oslo.log with its fields. Returns the end of what was written; 0 if the line needs more care. */
export function oslo(to: usize, from: usize, end: usize, head: usize, headLength: usize, tail: usize, tailLength: usize, keys: usize): usize {
  if (scan(from + 23, end) == 0) return 0;
  to = copy(to, head, headLength);
  to = copy(key(to, keys, 0), from, timeEnd - from);
  to = copy(key(to, keys, 1), timeEnd + 1, pidEnd - timeEnd - 1);
  to = copy(key(to, keys, 2), pidEnd + 1, levelEnd - pidEnd - 1);
  to = plain(key(to, keys, 3), levelEnd + 1, moduleEnd);
  if (to == 0) return 0;
  let at = moduleEnd + 1;
  if (at + 5 < end && load<u8>(at) == OPEN) {
    const word = load<u32>(at + 1);
    if (word == REQ || word == NONE) {
      at += 5;
      if (word == REQ) {
        const start = at;
        // `end` is checked too, because the bytes after the line may contain no space.
        while (at < end && <u32>load<u8>(at) > SPACE) at++;
        to = plain(key(to, keys, 5), start, at);
        if (to == 0) return 0;
      }
      if (at + 5 >= end || load<u8>(at) != SPACE || load<u32>(at + 1) != REQ) return 0;
      at += 5;
      for (let nth: usize = 6; nth < 13; nth++) {
        const stop = nth == 12 ? CLOSE : SPACE;
        const start = at;
        let c: u32 = load<u8>(at);
        for (; c != stop; c = load<u8>(++at)) if (c <= SPACE || c == QUOTE || c == BACKSLASH || c == CLOSE) return 0;
        if (at == start || at >= end) return 0;
        to = copy(key(to, keys, nth), start, at - start);
        at++;
      }
      if (at >= end || load<u8>(at) != SPACE) return 0;
      at++;
    }
  }
  to = escape(key(to, keys, 4), at, end);
  return to == 0 ? 0 : copy(to, tail, tailLength);
}
