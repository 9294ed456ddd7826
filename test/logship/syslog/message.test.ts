import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSyslog } from '../../../src/logship/syslog/message.ts';
import { FACILITIES, SEVERITIES } from '../../../src/logship/syslog/names.ts';
import { zoneOf } from '../../../src/logship/time/zone.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { lineOf } from '../../../src/logship/syslog/files.ts';

const at = Date.parse('2026-11-21T17:42:05.250Z');
const parse = (text: string, atMs = at, zone = 'UTC') =>
  parseSyslog(text, { atMs, zone: zoneOf(zoneTableNamed(zone)) });
const rewritten = (text: string) => lineOf(parse(text));

test("parses haproxy's messages: RFC 3164 without a host", () => {
  const { facility, severity, program, pid, host, text } = parse(
    '<142>Nov 21 17:42:05 haproxy[12]: 10.0.0.9:41122 [21/Nov/2026:17:42:05.102] keystone~ keystone/c1 0/0/1/20/21 200\n',
  );
  assert.deepEqual([FACILITIES[facility], SEVERITIES[severity]], ['local1', 'info']);
  assert.deepEqual([program, pid, host], ['haproxy', '12', undefined]);
  assert.match(text, /^10\.0\.0\.9:41122 \[21/);
});

test('distinguishes a host from a tag', () => {
  const { host, program, pid } = parse('<13>Nov  1 07:02:05 compute-1 keepalived: up');
  assert.deepEqual([host, program, pid], ['compute-1', 'keepalived', undefined]);
});

test('parses RFC 5424 with data and a byte order mark', () => {
  const { host, program, pid, messageId, data, text, timeMs } = parse(
    '<14>1 2026-11-21T18:42:05.123456+01:00 c1 app 7 ID47 [x@1 a="b\\]c" d="e"][y] \uFEFFhello [world]',
  );
  assert.deepEqual([host, program, pid, messageId], ['c1', 'app', '7', 'ID47']);
  assert.deepEqual([data, text], ['[x@1 a="b\\]c" d="e"][y]', 'hello [world]']);
  assert.equal(timeMs, Date.parse('2026-11-21T17:42:05.123Z'));
});

test("an arrival time within the header's second replaces the header's time", () => {
  assert.equal(parse('<13>Nov 21 17:42:05 a: b').timeMs, at);
  assert.equal(parse('<13>Nov 21 17:42:04 a: b').timeMs, Date.parse('2026-11-21T17:42:04Z'));
});

test('a date without a year is in the nearest year, in the configured zone', () => {
  const newYear = Date.parse('2027-01-01T00:00:01Z');
  assert.equal(parse('<13>Dec 31 23:59:59 a: b', newYear).timeMs, Date.parse('2026-12-31T23:59:59Z'));
  assert.equal(parse('<13>Nov 21 19:42:01 a: b', at, '+02:00').timeMs, Date.parse('2026-11-21T17:42:01Z'));
});

for (const [what, datagram, line] of [
  ['a text alone', 'hello there', '<13>1 2026-11-21T17:42:05.250Z - - - - - hello there'],
  ['an empty datagram', '', '<13>1 2026-11-21T17:42:05.250Z - - - - - '],
  ['an invalid priority', '<999>x', '<13>1 2026-11-21T17:42:05.250Z - - - - - <999>x'],
  ['an invalid month', '<13>Foo 21 17:42:05 a: b', '<13>1 2026-11-21T17:42:05.250Z - - - - - Foo 21 17:42:05 a: b'],
  ['a tag without a time', '<13>cron[1]: x', '<13>1 2026-11-21T17:42:05.250Z - cron 1 - - x'],
  ['broken data', '<13>1 - - a - - [x b', '<13>1 2026-11-21T17:42:05.250Z - - - - - 1 - - a - - [x b'],
] as const) {
  test(`${what} is kept whole`, () => assert.equal(rewritten(datagram), line));
}

test('a line has no control characters except tab: newlines are #012', () => {
  assert.match(rewritten('<13>a: one\ntwo\tthree\0four\u007f\n\0'), / one#012two\tthree#000four#177$/);
});

test('formatting a parsed line yields the same line', () => {
  const first = rewritten('<142>Nov 21 17:42:05 c1 haproxy[12]: backend down');
  assert.equal(rewritten(first), first);
});
