import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../src/logship/time/clock.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

for (const [zone, text, utc] of [
  ['UTC', '2026-11-20 08:15:42.123', '2026-11-20T08:15:42.123Z'],
  ['UTC', '2026-11-20 08:15:42', '2026-11-20T08:15:42.000Z'],
  ['UTC', '2026-11-20T08:15:42.5', '2026-11-20T08:15:42.500Z'],
  ['UTC', '2026-11-20 08:15:42.123456789', '2026-11-20T08:15:42.123Z'],
  ['UTC', '2016-12-31 23:59:60.500', '2017-01-01T00:00:00.500Z'],
  ['UTC', '2028-02-29 00:00:00.000', '2028-02-29T00:00:00.000Z'],
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
    assert.equal(new Date(new Clock(zoneNamed(zone)).local(text)).toISOString(), utc);
  });
}

test('consecutive minutes have their own times', () => {
  const time = new Clock(zoneNamed('UTC'));
  const read = ['2026-11-20 08:15:59.999', '2026-11-20 08:16:00.000', '2026-11-20 08:15:59.999'].map((t) =>
    time.local(t),
  );
  assert.deepEqual(
    read.map((ms) => ms - (read[0] ?? 0)),
    [0, 1, 0],
  );
});

for (const text of ['2026-13-20 08:15:42.123', '2026-11-20 25:15:42.123', '2026-11-20 08:15:61.000', 'yesterday']) {
  test(`'${text}' is not a time`, () => assert.equal(new Clock(zoneNamed('UTC')).local(text), NaN));
}

test('an unknown zone is a RangeError', () => {
  assert.throws(() => zoneNamed('Mars/Olympus'), RangeError);
});

for (const [text, utc] of [
  ['2026-11-20 08:15:42.123456+00:00 x', '2026-11-20T08:15:42.123Z'],
  ['2026-11-20 08:15:42.123+0530: x', '2026-11-20T02:45:42.123Z'],
  ['2026-11-20T08:15:42Z x', '2026-11-20T08:15:42.000Z'],
  ['2026-12-31 23:30:00.000-01:00', '2027-01-01T00:30:00.000Z'],
  // A local time skipped by Berlin's DST change is valid when the line has its own zone.
  ['2026-03-29 02:30:00.000+01:00', '2026-03-29T01:30:00.000Z'],
  ['2026-11-20 08:15:42.123 x', '2026-11-20T07:15:42.123Z'],
] as const) {
  test(`'${text}' is ${utc} in its own zone, or in that of the logs`, () => {
    assert.equal(new Date(new Clock(zoneNamed('Europe/Berlin')).zoned(text)).toISOString(), utc);
  });
}

test('impossible dates are not parsed', () => {
  const clock = new Clock(zoneNamed('UTC'));
  for (const day of ['2026-02-29', '2026-04-31', '2026-00-10', '2026-01-00'])
    assert.equal(clock.local(`${day} 08:15:42.123`), NaN);
});
