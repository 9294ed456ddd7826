import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isoTime, localTime, zoneOffset } from '../../src/core/local-time.ts';
import { privateDirectory } from '../../tools/directory.ts';

const ZONES = '/usr/share/zoneinfo';
const skip = existsSync(join(ZONES, 'Europe/Berlin')) ? false : 'no zone database on this machine';

/** The result of ICU, which does not depend on the time zone of the process. */
function known(zone: string, at: Date): number {
  const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(at);
  const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

for (const zone of [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Tokyo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
]) {
  test(`the offset of ${zone} is known in winter, in summer and around a change`, { skip }, async () => {
    const file = await readFile(join(ZONES, zone));
    for (const text of [
      '1980-06-01T00:00Z',
      '2026-01-15T12:00Z',
      '2026-07-15T12:00Z',
      '2026-03-29T00:59:59Z',
      '2026-03-29T01:00Z',
    ]) {
      const at = new Date(text);
      const found = zoneOffset(file, at);
      if (found !== undefined) assert.equal(found, known(zone, at), text);
    }
    assert.equal(zoneOffset(file, new Date('1980-06-01T00:00Z')), known(zone, new Date('1980-06-01T00:00Z')));
  });
}

test('a zone file is read, a missing one is UTC', { skip }, async () => {
  await using directory = await privateDirectory('zone');
  const file = join(directory.path, 'localtime');
  const at = new Date('1999-07-15T12:00:00Z');
  assert.equal(localTime(at, undefined, file).toISOString(), '1999-07-15T12:00:00.000Z');
  await copyFile(join(ZONES, 'Asia/Tokyo'), file);
  assert.equal(localTime(at, undefined, file).toISOString(), '1999-07-15T21:00:00.000Z');
});

test('a link into the zone database, and TZ, are handled by Date', { skip }, async () => {
  await using directory = await privateDirectory('zone');
  const file = join(directory.path, 'localtime');
  await symlink(join(ZONES, 'Asia/Tokyo'), file);
  const at = new Date('2026-07-15T12:00:00Z');
  const own = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  assert.deepEqual(localTime(at, undefined, file), own);
  await copyFile(join(ZONES, 'Asia/Tokyo'), join(directory.path, 'tokyo'));
  assert.deepEqual(localTime(at, 'UTC', join(directory.path, 'tokyo')), own);
});

test('an invalid zone is handled by Date', () => {
  assert.equal(zoneOffset(Buffer.from('no zone'), new Date(0)), undefined);
});

test('a time is formatted as by Date', () => {
  for (const at of [0, 951_782_399_999, 951_782_400_000, 1_795_000_000_007, 4_102_444_800_000].map(
    (ms) => new Date(ms),
  ))
    assert.equal(isoTime(at), at.toISOString());
});
