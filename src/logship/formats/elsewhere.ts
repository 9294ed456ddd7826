import { DIGIT, WORD, bytesOf } from '../tables/byte-set.ts';
import {
  ahead,
  either,
  eol,
  epoch,
  exactly,
  json,
  maybe,
  pairs,
  run,
  time,
  within,
  type Item,
} from '../tables/items.ts';

/** The names of times in JSON and logfmt; the first that there is counts. */
const NAMES = ['@timestamp', 'timestamp', 'time', 'ts', 't', 'datetime'];
/** The captures of these times. */
export const TIMES = Object.fromEntries(NAMES.map((name) => [name, `_${name}`]));
/** Number of pairs of a line of logfmt in which the time is searched. */
const PAIRS = 16;

/** `2026-11-20 08:15:42.123 +01:00`: with a T or a space, and an optional fraction and zone. */
export const zoned: Item = either([time('Y-m-d H:M:Sfa', 'fails')], [time('Y-m-dTH:M:Sfa', 'fails')]);
/** C's `Fri Nov 20 08:15:42 2026`, with a fraction after the seconds as in Apache. */
export const ctime: readonly Item[] = [exactly(3, WORD), ' ', time('b e H:M:Sf Y', 'fails')];
/** The time of RFC 3164, without a year: `Nov 20 08:15:42 `. */
const bsd: readonly Item[] = [time('b e H:M:S', 'fails'), ' '];
/** The time at the start of a syslog line (RFC 5424 or 3164), with or without its priority. */
export const syslogTime: readonly Item[] = [
  maybe('<', run(DIGIT, 1, 3), '>'),
  either(['1 ', time('Y-m-dTH:M:SfZ', 'fails'), ' '], bsd),
];

/** A date, or the seconds, milliseconds, microseconds or nanoseconds since the epoch, in a capture. */
export const timeIn = (name: string): Item => within(name, either([epoch(), eol()], [zoned]));

/**
 * The time in a line whose format has none at its start, as the programs next to OpenStack write it: at the start, in brackets
 * (OpenSearch), as C's ctime (keepalived), in JSON (etcd), in logfmt (exporters, Grafana), klog, syslog, and Go's package log.
 * It captures nothing and cannot fail.
 */
export const elsewhere: Item = either(
  [ahead(exactly(1, DIGIT)), either([zoned], [time('Y/m/d H:M:Sf', 'fails')], [])],
  ['[', either([zoned], ctime, [])],
  [
    ahead('{'),
    maybe(
      json(TIMES),
      either(...NAMES.map((name): readonly Item[] => [within(`_${name}`), maybe(timeIn(`_${name}`))]), []),
    ),
  ],
  [ahead('<'), either(syslogTime, [])],
  [exactly(1, bytesOf('DIWEF')), time('md H:M:SF', 'fails'), ' '],
  ctime,
  bsd,
  [pairs(PAIRS, TIMES), either(...NAMES.map((name): readonly Item[] => [timeIn(`_${name}`)]), [])],
);
