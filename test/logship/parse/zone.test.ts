import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Clock } from '../../../src/logship/time/clock.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Atlantic/Azores',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/Santiago',
];

const given = process.env['TZ'];
after(() => {
  if (given === undefined) delete process.env['TZ'];
  else process.env['TZ'] = given;
});

/** Writes a time as on the wall clock of a zone, by ICU. */
function wallClock(zone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => `${format.format(ms)}.${String(ms % 1000).padStart(3, '0')}`;
}

/** The changes of a zone's offset in 2026, to the minute. */
function changes(zone: string): number[] {
  const wall = wallClock(zone);
  const offset = (ms: number) => Date.parse(`${wall(ms).replace(' ', 'T')}Z`) - ms;
  const found: number[] = [];
  for (let hour = Date.UTC(2026, 0, 1); hour < Date.UTC(2027, 0, 1); hour += HOUR_MS)
    for (let ms = hour; offset(hour) !== offset(hour + HOUR_MS) && ms < hour + HOUR_MS; ms += MINUTE_MS)
      if (offset(ms) !== offset(ms + MINUTE_MS)) found.push(ms + MINUTE_MS);
  return found;
}

/** Passes each time to `check`, in order, from hours before each change until hours after it. */
function around(zone: string, check: (ms: number, text: string) => void): void {
  const wall = wallClock(zone);
  const all = changes(zone);
  assert.ok(all.length >= 2, zone);
  for (const change of all)
    for (let ms = change - 4 * HOUR_MS + 1; ms < change + 4 * HOUR_MS; ms += 20_123) check(ms, wall(ms));
}

for (const zone of ZONES) {
  test(`each line through ${zone}'s changes has its own time, in the repeated hour too`, () => {
    const clock = new Clock(zoneNamed(zone));
    around(zone, (ms, text) => {
      clock.lastMs = Math.abs(clock.lastMs - ms) > 12 * HOUR_MS ? NaN : clock.lastMs;
      const read = clock.local(text);
      assert.equal(read, ms, text);
      clock.lastMs = read;
    });
  });

  test(`lines of several processes may be out of order in ${zone}'s repeated hour`, () => {
    const clock = new Clock(zoneNamed(zone));
    const wall = wallClock(zone);
    around(zone, (ms) => {
      for (const late of [0, 30_000, 1000]) {
        if (Math.abs(clock.lastMs - ms) > 12 * HOUR_MS) clock.lastMs = NaN;
        const read = clock.local(wall(ms - late));
        assert.equal(read, ms - late, wall(ms - late));
        clock.lastMs = read;
      }
    });
  });

  test(`the zone of the process and ${zone} agree, in skipped and repeated hours too`, () => {
    process.env['TZ'] = zone;
    const [local, named] = [zoneNamed('local'), zoneNamed(zone)];
    for (const change of changes(zone)) {
      for (let ms = change - 26 * HOUR_MS; ms < change + 26 * HOUR_MS; ms += 5 * MINUTE_MS) {
        const at = new Date(ms);
        const wall = [
          at.getUTCFullYear(),
          at.getUTCMonth() + 1,
          at.getUTCDate(),
          at.getUTCHours(),
          at.getUTCMinutes(),
        ] as const;
        const [year, month, day, hour, minute] = wall;
        // ECMA-262 chooses as Python's zoneinfo does without a fold.
        assert.equal(named(...wall), new Date(year, month - 1, day, hour, minute).getTime(), at.toISOString());
        for (const isSecond of [false, true])
          assert.equal(local(...wall, isSecond), named(...wall, isSecond), at.toISOString());
      }
    }
  });
}

test('a line in a repeated hour has the first time if nothing is known of the lines before it', () => {
  const clock = new Clock(zoneNamed('Europe/Berlin'));
  assert.equal(new Date(clock.local('2026-10-25 02:30:00.000')).toISOString(), '2026-10-25T00:30:00.000Z');
  clock.lastMs = Date.UTC(2026, 9, 25, 1, 29);
  assert.equal(new Date(clock.local('2026-10-25 02:30:00.000')).toISOString(), '2026-10-25T01:30:00.000Z');
});
