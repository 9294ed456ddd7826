import { lstatSync, readFileSync, readlinkSync } from 'node:fs';

const LOCALTIME = '/etc/localtime';

/**
 * The local time of a moment, as a Date whose UTC fields hold it.
 *
 * Not Date's own getters where they can be avoided: to learn the zone's name, ICU compares /etc/localtime with every file of
 * the zone database when it is no link there, which costs more than all the rest of a short run. Kolla's containers have it
 * mounted as a file, or have none, which is UTC.
 */
export function localTime(at: Date, tz: string | undefined = process.env['TZ'], file: string = LOCALTIME): Date {
  const offset = tz === undefined ? fileOffset(file, at) : undefined;
  return new Date(at.getTime() + (offset ?? -at.getTimezoneOffset() * 60_000));
}

/**
 * As Date's toISOString, for the years of our lives, but without looking for the zone, which that one does although it needs
 * none.
 */
export function isoTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getUTCFullYear(), two(at.getUTCMonth() + 1), two(at.getUTCDate())].join('-');
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');
  return `${day}T${clock}.${String(at.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

/** Undefined where Date finds the zone quickly itself, or where only it can work the rule out. */
function fileOffset(file: string, at: Date): number | undefined {
  try {
    if (lstatSync(file).isSymbolicLink() && readlinkSync(file).includes('/zoneinfo/')) return undefined;
    return zoneOffset(readFileSync(file), at);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 0 : undefined;
  }
}

const HEADER_BYTES = 44;

/**
 * Milliseconds east of UTC, from a compiled zone (RFC 9636, version 2 and later). Undefined when the moment lies after its
 * last change and a rule of summer time goes on from there.
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
