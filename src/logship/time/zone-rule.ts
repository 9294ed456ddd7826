/**
 * The rule of a zone in POSIX's notation, as in TZ and at the end of a compiled zone: `CET-1CEST,M3.5.0,M10.5.0/3`. Hours count
 * west of UTC, and may be negative or above 24 for a change.
 */
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const NAME = String.raw`(?:[A-Za-z]{3,}|<[A-Za-z\d+-]{3,}>)`;
const TIME = String.raw`[+-]?\d{1,3}(?::\d{1,2}(?::\d{1,2})?)?`;
const CHANGE = String.raw`(?:M\d{1,2}\.[1-5]\.[0-6]|J?\d{1,3})(?:/${TIME})?`;
const RULE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?(?:,(${CHANGE}),(${CHANGE}))?)?$`);
/** What C libraries assume of a summer time without dates. */
const [FROM, UNTIL] = ['M3.2.0', 'M11.1.0'] as const;

/** A zone's distance from UTC, and when it changes. In milliseconds. */
export interface ZoneRule {
  readonly standardMs: number;
  /** The changes of a year in UTC, in their order, each with the offset from then on. None without a summer time. */
  changes(year: number): readonly (readonly [atMs: number, offsetMs: number])[];
}

/** Undefined if the text is not such a rule. */
export function zoneRule(text: string): ZoneRule | undefined {
  const [, standard, summer, from = FROM, until = UNTIL] = RULE.exec(text) ?? [];
  if (standard === undefined) return undefined;
  const standardMs = 0 - timeMs(standard);
  const hasSummer = new RegExp(`^${NAME}${TIME}${NAME}`).test(text);
  if (!hasSummer) return { standardMs, changes: () => [] };
  const summerMs = summer === undefined ? standardMs + HOUR_MS : 0 - timeMs(summer);
  return {
    standardMs,
    changes(year) {
      // A change is at a time of the clock before it.
      const start = [wallMs(from, year) - standardMs, summerMs] as const;
      const end = [wallMs(until, year) - summerMs, standardMs] as const;
      return start[0] < end[0] ? [start, end] : [end, start];
    },
  };
}

function timeMs(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * 60 * SECOND_MS + seconds * SECOND_MS);
}

/** The time of a change on the wall clock, as if it were UTC. */
function wallMs(change: string, year: number): number {
  const [date = '', time = '2'] = change.split('/');
  return dateMs(date, year) + timeMs(time);
}

function dateMs(date: string, year: number): number {
  const first = Date.UTC(year, 0, 1);
  if (date.startsWith('J')) {
    // February 29 is not counted.
    const day = Number(date.slice(1));
    const isLeap = Date.UTC(year, 2, 1) - Date.UTC(year, 1, 1) === 29 * DAY_MS;
    return first + (day - (isLeap && day >= 60 ? 0 : 1)) * DAY_MS;
  }
  if (!date.startsWith('M')) return first + Number(date) * DAY_MS;
  const [month = 1, week = 1, weekday = 0] = date.slice(1).split('.').map(Number);
  const start = Date.UTC(year, month - 1, 1);
  const day = ((weekday - new Date(start).getUTCDay() + 7) % 7) + (week - 1) * 7;
  // The fifth is the last one.
  const isBeyond = start + day * DAY_MS >= Date.UTC(year, month, 1);
  return start + (isBeyond ? day - 7 : day) * DAY_MS;
}
