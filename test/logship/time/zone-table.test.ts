import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { offsetAt, zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { privateDirectory } from '../../../tools/directory.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Versions of the zone database agree on the past. */
const PAST = [Date.UTC(1976, 0, 1), Date.UTC(2025, 11, 31)] as const;
/** Zones whose rule has been the same for decades, on both hemispheres, and one whose winter is the exception. */
const STEADY = ['Europe/Berlin', 'Europe/Dublin', 'America/New_York', 'Australia/Sydney', 'Australia/Lord_Howe'];

/** The offset from UTC in milliseconds, by ICU. */
function icu(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (ms) => {
    const text = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, h = 0, m = 0, s = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
  };
}

test('every zone has the offsets that ICU knows of the last fifty years', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  assert.ok(zones.length > 300);
  for (const zone of zones) {
    const [table, expected] = [zoneTableNamed(zone), icu(zone)];
    for (let ms = PAST[0]; ms < PAST[1]; ms += 19.3 * DAY_MS)
      assert.equal(offsetAt(table, ms), expected(ms), `${zone} ${new Date(ms).toISOString()}`);
  }
});

for (const zone of STEADY) {
  test(`${zone}'s rule holds until 2100, to the hour of its changes`, () => {
    const [table, expected] = [zoneTableNamed(zone), icu(zone)];
    for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2100, 11, 30); ms += 6.7 * DAY_MS)
      assert.equal(offsetAt(table, ms), expected(ms), new Date(ms).toISOString());
    for (let ms = Date.UTC(2037, 0, 1); ms < Date.UTC(2039, 0, 1); ms += HOUR_MS)
      assert.equal(offsetAt(table, ms), expected(ms), new Date(ms).toISOString());
  });
}

test('a table rises, starts at -Infinity, and repeats no offset', () => {
  const table = zoneTableNamed('Europe/Berlin');
  assert.equal(table[0], -Infinity);
  for (let i = 2; i < table.length; i += 2) {
    assert.ok(table[i]! > table[i - 2]!);
    assert.notEqual(table[i + 1], table[i - 1]);
  }
});

for (const [name, offsets] of [
  ['UTC', [-Infinity, 0]],
  ['z', [-Infinity, 0]],
  ['+05:30', [-Infinity, 19_800_000]],
  ['-0930', [-Infinity, -34_200_000]],
] as const)
  test(`${name} has one offset`, () => assert.deepEqual([...zoneTableNamed(name)], offsets));

for (const [tz, hours] of [
  ['', [0, 0]],
  ['Europe/Berlin', [1, 2]],
  [':Europe/Berlin', [1, 2]],
  ['/usr/share/zoneinfo/Europe/Berlin', [1, 2]],
  ['CET-1CEST,M3.5.0,M10.5.0/3', [1, 2]],
  ['<+0330>-3:30', [3.5, 3.5]],
  ['AEST-10AEDT,M10.1.0,M4.1.0/3', [11, 10]],
  ['EST5EDT', [-5, -4]],
  ['XXX5YYY,J60,J300', [-5, -4]],
] as const)
  test(`TZ='${tz}' is the zone of this process`, () => {
    const table = zoneTableNamed('local', { tz });
    const at = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)].map((ms) => offsetAt(table, ms) / HOUR_MS);
    assert.deepEqual(at, hours);
  });

test('without TZ /etc/localtime applies, and without that UTC', async () => {
  await using directory = await privateDirectory('zone');
  const none = zoneTableNamed('local', { tz: undefined, localtime: join(directory.path, 'none') });
  assert.deepEqual([...none], [-Infinity, 0]);
  const berlin = zoneTableNamed('local', { tz: undefined, localtime: '/usr/share/zoneinfo/Europe/Berlin' });
  assert.deepEqual(berlin, zoneTableNamed('Europe/Berlin'));
});

test('an image without zones, and a damaged one, are errors that say what to do', async () => {
  await using directory = await privateDirectory('zone');
  const zoneinfo = directory.path;
  assert.throws(() => zoneTableNamed('Europe/Berlin', { zoneinfo }), /has no time zones: install tzdata/);
  assert.throws(() => zoneTableNamed('Mars/Olympus'), /is not a time zone such as UTC/);
  assert.throws(() => zoneTableNamed('../../../etc/passwd'), /is not a time zone such as UTC/);
  writeFileSync(join(zoneinfo, 'Cut'), Buffer.concat([Buffer.from('TZif2'), Buffer.alloc(90)]));
  assert.throws(() => zoneTableNamed('Cut', { zoneinfo }), /Cut is not a compiled time zone/);
});
