import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTime } from '../../../src/logship/parse/event-time.ts';
import { zoneNamed } from '../../../src/logship/parse/zone.ts';

for (const [zone, text, utc] of [
  ['UTC', '2026-11-20 08:15:42.123', '2026-11-20T08:15:42.123Z'],
  ['UTC', '2026-11-20 08:15:42,007', '2026-11-20T08:15:42.007Z'],
  ['+05:30', '2026-11-20 02:00:00.000', '2026-11-19T20:30:00.000Z'],
  ['-0300', '2026-12-31 23:00:00.000', '2027-01-01T02:00:00.000Z'],
  ['Europe/Berlin', '2026-11-20 00:30:00.000', '2026-11-19T23:30:00.000Z'],
  ['Europe/Berlin', '2026-07-01 00:30:00.000', '2026-06-30T22:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29 01:59:59.999', '2026-03-29T00:59:59.999Z'],
  ['Europe/Berlin', '2026-03-29 03:00:00.000', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25 02:30:00.000', '2026-10-25T00:30:00.000Z'],
  ['America/New_York', '2026-11-01 03:00:00.000', '2026-11-01T08:00:00.000Z'],
] as const) {
  test(`${text} in ${zone} is ${utc}`, () => {
    assert.equal(new Date(new EventTime(zoneNamed(zone)).read(text)).toISOString(), utc);
  });
}

test('one minute after the other, each has its own time', () => {
  const time = new EventTime(zoneNamed('UTC'));
  const read = ['2026-11-20 08:15:59.999', '2026-11-20 08:16:00.000', '2026-11-20 08:15:59.999'].map((t) =>
    time.read(t),
  );
  assert.deepEqual(
    read.map((ms) => ms - (read[0] ?? 0)),
    [0, 1, 0],
  );
});

for (const text of ['2026-13-20 08:15:42.123', '2026-11-20 25:15:42.123', '2026-11-20 08:15:61.000', 'yesterday']) {
  test(`'${text}' is no time`, () => assert.equal(new EventTime(zoneNamed('UTC')).read(text), NaN));
}

test('a zone that there is none of is a RangeError', () => {
  assert.throws(() => zoneNamed('Mars/Olympus'), RangeError);
});
