import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from './errors.ts';

const LOCALTIME = '/etc/localtime';

/**
 * The local time of a moment, as a Date whose UTC fields hold it. Avoids Date's own getters: if /etc/localtime is not a
 * link, ICU compares it with every file of the zone database to find the zone's name, which costs more than the rest of
 * a short run. In Kolla's containers /etc/localtime is a mounted file, or missing (UTC).
 */
export function localTime(at: Date, tz: string | undefined = process.env['TZ'], file: string = LOCALTIME): Date {
  const offset = tz === undefined ? fileOffset(file, at) : undefined;
  return new Date(at.getTime() + (offset ?? -at.getTimezoneOffset() * 60_000));
}

/** Like Date's toISOString for four-digit years, but without the time zone lookup that toISOString does needlessly. */
export function isoTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getUTCFullYear(), two(at.getUTCMonth() + 1), two(at.getUTCDate())].join('-');
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');
  return `${day}T${clock}.${String(at.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

/** The offset from UTC in the file. Undefined if Date finds the zone quickly, or if only Date can evaluate the rule. */
function fileOffset(file: string, at: Date): number | undefined {
  try {
    if (lstatSync(file).isSymbolicLink() && readlinkSync(file).includes('/zoneinfo/')) return undefined;
    return zoneOffset(readFileSync(file), at);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 0 : undefined;
  }
}

const HEADER_BYTES = 44;

/**
 * Milliseconds east of UTC, from a compiled zone (RFC 9636, version 2 and later). Undefined if the moment is after its
 * last transition and a daylight saving rule applies.
 */
export function zoneOffset(zone: Buffer, at: Date): number | undefined {
  if (zone.toString('latin1', 0, 4) !== 'TZif' || zone[4] === 0) return undefined;
  const first = countsAt(zone, 0);
  const start = HEADER_BYTES + dataBytes(first, 4);
  const { times, types, ...rest } = countsAt(zone, start);
  const data = start + HEADER_BYTES;
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  let change = -1;
  while (change + 1 < times && zone.readBigInt64BE(data + (change + 1) * 8) <= seconds) change++;
  const footer = zone.toString('latin1', data + dataBytes({ times, types, ...rest }, 8)).trim();
  if (change + 1 === times && footer.includes(',')) return undefined;
  const type = change === -1 ? 0 : zone.readUInt8(data + times * 8 + change);
  return zone.readInt32BE(data + times * 9 + type * 6) * 1000;
}

interface Counts {
  readonly times: number;
  readonly types: number;
  readonly characters: number;
  readonly leaps: number;
  readonly standards: number;
  readonly universals: number;
}

function countsAt(zone: Buffer, header: number): Counts {
  const [universals, standards, leaps, times, types, characters] = [20, 24, 28, 32, 36, 40].map((offset) =>
    zone.readUInt32BE(header + offset),
  ) as [number, number, number, number, number, number];
  return { times, types, characters, leaps, standards, universals };
}

function dataBytes({ times, types, characters, leaps, standards, universals }: Counts, width: 4 | 8): number {
  return times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standards + universals;
}
