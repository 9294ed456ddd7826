import { ctime, wallOf, type Clock } from '../time/clock.ts';
import { syslogTime } from './syslog.ts';

const NAMES = ['@timestamp', 'timestamp', 'time', 'ts', 't', 'datetime'];
/** Longer lines are not parsed as JSON for their time. */
const LONGEST_JSON = 64 * 1024;
/** Number of pairs of a line of logfmt in which the time is searched. */
const PAIRS = 16;
const PAIR = /\s*([\w@.-]{1,64})=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?=\s|$)/y;
/** klog of Kubernetes' libraries, without a year. */
const KLOG = /^[DIWEF](?<month>\d\d)(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{1,9}) /;
/** Go's package log, nginx. */
const SLASHES =
  /^(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?/;
/** Unix times of these years, in seconds; the same digits in another unit are of another century. */
const [EARLIEST_S, LATEST_S] = [1e9, 1e10];

/**
 * The time in a line whose format has none at its start, as the programs next to OpenStack write it: in brackets
 * (OpenSearch), as C's ctime (keepalived), in JSON (etcd), in logfmt (exporters, Grafana), klog, and Go's package log. NaN
 * if there is none.
 */
export function embeddedTime(line: string, clock: Clock, nearMs: number): number {
  const first = line.charCodeAt(0);
  if (isDigit(first)) {
    const ms = clock.zoned(line);
    return Number.isNaN(ms) ? clock.wall(wallOf(SLASHES.exec(line))) : ms;
  }
  if (line.startsWith('[')) return bracketed(line.slice(1, 64), clock);
  if (line.startsWith('{')) return inJson(line, clock);
  if (line.startsWith('<')) return syslogTime(line, clock, nearMs);
  const klog = KLOG.exec(line);
  if (klog !== null) return clock.nearest(wallOf(klog), nearMs);
  const ms = ctime(line, clock);
  if (!Number.isNaN(ms)) return ms;
  const bsd = syslogTime(line, clock, nearMs);
  return Number.isNaN(bsd) ? inLogfmt(line, clock) : bsd;
}

function bracketed(text: string, clock: Clock): number {
  const ms = clock.zoned(text);
  return Number.isNaN(ms) ? ctime(text, clock) : ms;
}

function inJson(line: string, clock: Clock): number {
  if (line.length > LONGEST_JSON) return NaN;
  try {
    const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const name = NAMES.find((each) => Object.hasOwn(fields, each));
    return name === undefined ? NaN : valueTime(String(fields[name]), clock);
  } catch {
    return NaN;
  }
}

function inLogfmt(line: string, clock: Clock): number {
  PAIR.lastIndex = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const [, name, quoted, bare] = PAIR.exec(line) ?? [];
    if (name === undefined) return NaN;
    if (!NAMES.includes(name)) continue;
    const ms = valueTime(quoted ?? bare ?? '', clock);
    if (!Number.isNaN(ms)) return ms;
  }
  return NaN;
}

/** A date, or the seconds, milliseconds, microseconds or nanoseconds since the epoch. */
function valueTime(value: string, clock: Clock): number {
  if (!/^\d{10,19}(?:\.\d+)?$/.test(value)) return clock.zoned(value);
  let seconds = Number(value);
  while (seconds >= LATEST_S) seconds /= 1000;
  return seconds >= EARLIEST_S ? Math.floor(seconds * 1000) : NaN;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
