import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAt } from '../../../src/logship/tables/reference/time.ts';
import { zoneOf } from '../../../src/logship/time/zone.ts';

const HOUR_MS = 3_600_000;
/** Central Europe in 2026. */
const EUROPE = zoneOf(
  Float64Array.of(-Infinity, HOUR_MS, Date.UTC(2026, 2, 29, 1), 2 * HOUR_MS, Date.UTC(2026, 9, 25, 1), HOUR_MS),
);

function read(layout: string, text: string, lastMs = NaN, nearMs = NaN): string | undefined {
  const bytes = Buffer.from(text);
  const found = timeAt(layout, bytes, 0, bytes.length, { zone: EUROPE, lastMs, nearMs });
  if (found === undefined) return undefined;
  const time = Number.isNaN(found.ms) ? 'impossible' : new Date(found.ms).toISOString();
  return `${time} +${found.at}`;
}

for (const [layout, text, expected] of [
  ['Y-m-d H:M:Sf', '2026-11-20 08:15:42.1239x', '2026-11-20T07:15:42.123Z +24'],
  ['Y-m-d H:M:Sf', '2026-11-20 08:15:42,5', '2026-11-20T07:15:42.500Z +21'],
  ['Y-m-d H:M:Sf', '2026-11-20 08:15:42.', '2026-11-20T07:15:42.000Z +19'],
  ['Y-m-d H:M:SF', '2026-11-20 08:15:42', undefined],
  ['Y-m-d H:M:S', '2026-11-20 08:15:60', '2026-11-20T07:16:00.000Z +19'],
  ['Y-m-d H:M:S', '2026-11-20 08:15:61', 'impossible +19'],
  ['Y-m-d H:M:S', '2026-02-29 08:15:42', 'impossible +19'],
  ['Y-m-d H:M:S', '2026-1-20 08:15:42', undefined],
  ['Y-m-d H:M:S', '0026-11-20 08:15:42', '1926-11-20T07:15:42.000Z +19'],
  ['y/n/e@h:N:s', '26/1/5@8:15:2', '2026-01-05T07:15:02.000Z +13'],
  ['d/b/Y:H:M:S Z', '20/Nov/2026:08:15:42 -0130', '2026-11-20T09:45:42.000Z +26'],
  ['d/b/Y:H:M:S Z', '20/Nov/2026:08:15:42 x', undefined],
  ['d/b/Y:H:M:S Z', '20/Foo/2026:08:15:42 +0000', undefined],
  ['Y-m-d H:M:Sz', '2026-11-20 08:15:42+05', '2026-11-20T03:15:42.000Z +22'],
  ['Y-m-d H:M:Sz', '2026-11-20 08:15:42+05:60', '2026-11-20T03:15:42.000Z +22'],
  ['Y-m-d H:M:Sz', '2026-11-20 08:15:42+15:00', '2026-11-20T07:15:42.000Z +19'],
  ['Y-m-d H:M:Sz', '2026-11-20 08:15:42UTC', '2026-11-20T08:15:42.000Z +22'],
  ['Y-m-d H:M:Sz', '2026-11-20 08:15:42Zone', '2026-11-20T07:15:42.000Z +19'],
  ['Y-m-d H:M:Sa', '2026-11-20 08:15:42 +0100', '2026-11-20T07:15:42.000Z +25'],
  ['Y-m-d H:M:Sa', '2026-11-20 08:15:42 x', '2026-11-20T07:15:42.000Z +19'],
  ['Y-m-d H:M:Sc', '2026-11-20 08:15:42+0100', '2026-11-20T07:15:42.000Z +19'],
  ['Y-m-d H:M:Sc', '2026-11-20 08:15:42+00:00', '2026-11-20T08:15:42.000Z +25'],
  ['Y-m-dTH:M:SU', '2026-11-20T08:15:42', '2026-11-20T08:15:42.000Z +19'],
  ['b_e H:M:S', 'Nov   5 08:15:42', 'impossible +16'],
] as const)
  test(`'${text}' as ${layout} is ${expected ?? 'no time'}`, () => assert.equal(read(layout, text), expected));

test('a time without a year is the nearest one, also across the new year', () => {
  const near = (text: string, to: string) => read('b e H:M:S', text, NaN, Date.parse(to));
  assert.equal(near('Dec 31 23:59:59', '2027-01-01T00:00:05Z'), '2026-12-31T22:59:59.000Z +15');
  assert.equal(near('Jan  1 00:00:01', '2026-12-31T23:59:59Z'), '2026-12-31T23:00:01.000Z +15');
  assert.equal(near('Feb 29 12:00:00', '2028-03-01T00:00:00Z'), '2028-02-29T11:00:00.000Z +15');
  assert.equal(near('Feb 29 12:00:00', '2026-03-01T00:00:00Z'), 'impossible +15');
});

test('of the two times of a repeated hour a line has the second if the first has passed', () => {
  const repeated = '2026-10-25 02:30:00';
  const last = (time: string) => read('Y-m-d H:M:S', repeated, Date.parse(time));
  assert.equal(last('2026-10-25T00:29:00Z'), '2026-10-25T00:30:00.000Z +19');
  assert.equal(last('2026-10-25T01:29:00Z'), '2026-10-25T01:30:00.000Z +19');
});
