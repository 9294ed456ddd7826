/**
 * The offsets of a time zone as a table, for JavaScript and for the host that scans lines:
 *
 *   local (TZ, /etc/localtime), UTC, +05:30 or a name -> /usr/share/zoneinfo/NAME, a compiled zone (RFC 9636) -> its changes,
 *   and those of the rule at its end until 2100 -> pairs
 *
 * What can fail: an unknown name, a file that is missing or no compiled zone. RangeError, which says what to do.
 */
import { readFileSync } from 'node:fs';
import { codeOf, messageOf } from '../../core/errors.ts';
import { zoneRule, type ZoneRule } from './zone-rule.ts';

/** Pairs of the first UTC time in milliseconds and the offset from UTC in milliseconds from then on, the first from -Infinity. */
export type ZoneTable = Float64Array;

/** Where zones are. */
export interface ZonePlaces {
  /** The variable TZ. */
  readonly tz?: string | undefined;
  readonly localtime?: string;
  readonly zoneinfo?: string;
}

const LOCALTIME = '/etc/localtime';
const ZONEINFO = '/usr/share/zoneinfo';
const MINUTE_MS = 60_000;
/** Until when the rule at the end of a zone is applied. */
const LAST_YEAR = 2100;
const OFFSET = /^([+-])(\d\d):?(\d\d)$/;
const UTC: readonly Pair[] = [[-Infinity, 0]];

type Pair = readonly [fromMs: number, offsetMs: number];

/**
 * @param name `local`, `UTC`, `+05:30`, or a name such as Europe/Berlin
 * @throws RangeError
 */
export function zoneTableNamed(name: string, places: ZonePlaces = {}): ZoneTable {
  return Float64Array.from(pairsNamed(name, places).flat());
}

function pairsNamed(name: string, places: ZonePlaces): readonly Pair[] {
  if (name === 'local') return localPairs({ tz: process.env['TZ'], ...places });
  if (/^(?:utc|z)$/i.test(name)) return UTC;
  const [, sign, hours, minutes] = OFFSET.exec(name) ?? [];
  if (sign !== undefined)
    return [[-Infinity, (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS]];
  return filePairs(name, places);
}

/** As the C library: TZ is a file, a name or a rule; without it /etc/localtime applies, and without that UTC. */
function localPairs({ tz, localtime = LOCALTIME, zoneinfo }: ZonePlaces): readonly Pair[] {
  if (tz === undefined) return unlessMissing(() => pairsIn(localtime)) ?? UTC;
  const name = tz.replace(/^:/, '');
  if (name === '') return UTC;
  if (name.startsWith('/')) return unlessMissing(() => pairsIn(name)) ?? UTC;
  const rule = zoneRule(name);
  if (rule !== undefined) return withRule([[-Infinity, rule.standardMs]], rule);
  return filePairs(name, { ...(zoneinfo !== undefined && { zoneinfo }) });
}

function filePairs(name: string, { zoneinfo = ZONEINFO }: ZonePlaces): readonly Pair[] {
  const isName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name);
  const found = isName ? unlessMissing(() => pairsIn(`${zoneinfo}/${name}`)) : undefined;
  if (found !== undefined) return found;
  const hasZones = unlessMissing(() => pairsIn(`${zoneinfo}/UTC`)) !== undefined;
  if (isName && !hasZones)
    throw new RangeError(
      `'${name}': ${zoneinfo} has no time zones: install tzdata in the image, mount ${zoneinfo}, or give an offset such as +02:00`,
    );
  throw new RangeError(`'${name}' is not a time zone such as UTC, +02:00 or Europe/Berlin`);
}

const MISSING = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (MISSING.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** @throws RangeError if it is no compiled zone, and the system's error */
function pairsIn(file: string): readonly Pair[] {
  const bytes = readFileSync(file);
  try {
    return compiledPairs(bytes);
  } catch (cause) {
    throw new RangeError(`${file} is not a compiled time zone (${messageOf(cause)}): install tzdata again`, { cause });
  }
}

const HEADER_BYTES = 44;
const COUNTS = ['universals', 'standards', 'leaps', 'times', 'types', 'characters'] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

/** @throws RangeError */
function compiledPairs(zone: Buffer): readonly Pair[] {
  if (zone.toString('latin1', 0, 4) !== 'TZif') throw new RangeError('it does not begin with TZif');
  // Version 1 has times of 32 bits and no rule. Later ones have the same again, with 64 bits and a rule.
  if (zone[4] === 0) return changesAt(zone, 0, 4).pairs;
  const second = HEADER_BYTES + lengthOf(countsAt(zone, 0), 4);
  const { pairs, end } = changesAt(zone, second, 8);
  const [, text = ''] = zone.toString('latin1', end).split('\n');
  const rule = text === '' ? undefined : zoneRule(text);
  if (text !== '' && rule === undefined) throw new RangeError(`its rule is '${text}'`);
  return rule === undefined ? pairs : withRule(pairs, rule);
}

function countsAt(zone: Buffer, header: number): Counts {
  const counts = COUNTS.map((name, i) => [name, zone.readUInt32BE(header + 20 + 4 * i)] as const);
  return Object.fromEntries(counts) as Counts;
}

function lengthOf({ times, types, characters, leaps, standards, universals }: Counts, width: 4 | 8): number {
  return times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standards + universals;
}

function changesAt(zone: Buffer, header: number, width: 4 | 8): { readonly pairs: Pair[]; readonly end: number } {
  const counts = countsAt(zone, header);
  const { times, types } = counts;
  const [at, end] = [header + HEADER_BYTES, header + HEADER_BYTES + lengthOf(counts, width)];
  if (types === 0 || end > zone.length) throw new RangeError('it is truncated');
  const [typeOf, offsets] = [at + times * width, at + times * (width + 1)];
  const offset = (type: number) => zone.readInt32BE(offsets + type * 6) * 1000;
  const pairs: Pair[] = [[-Infinity, offset(0)]];
  for (let i = 0; i < times; i++) {
    const second = width === 4 ? zone.readInt32BE(at + 4 * i) : Number(zone.readBigInt64BE(at + 8 * i));
    addTo(pairs, [second * 1000, offset(zone.readUInt8(typeOf + i))]);
  }
  return { pairs, end };
}

/** Adds the rule's changes after the last one. */
function withRule(pairs: readonly Pair[], rule: ZoneRule): readonly Pair[] {
  const all = [...pairs];
  const [lastMs] = all.at(-1)!;
  const first = Number.isFinite(lastMs) ? new Date(lastMs).getUTCFullYear() : 1970;
  for (let year = first; year <= LAST_YEAR; year++)
    for (const change of rule.changes(year)) if (change[0] > lastMs) addTo(all, change);
  return all;
}

function addTo(pairs: Pair[], [fromMs, offsetMs]: Pair): void {
  if (pairs.at(-1)![1] !== offsetMs) pairs.push([fromMs, offsetMs]);
}

/** The offset from UTC at a time, both in milliseconds. */
export function offsetAt(table: ZoneTable, utcMs: number): number {
  let [low, high] = [0, table.length / 2];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (table[2 * middle]! <= utcMs) low = middle;
    else high = middle;
  }
  return table[2 * low + 1]!;
}
