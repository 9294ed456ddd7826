import { DARK, DIGIT, WORD, without } from '../tables/byte-set.ts';
import {
  ahead,
  as,
  bad,
  either,
  eol,
  exactly,
  many,
  maybe,
  named,
  not,
  put,
  quoted,
  rest,
  run,
  time,
  type Item,
} from '../tables/items.ts';
import { FACILITIES, SEVERITIES } from '../syslog/names.ts';
import { elsewhere, syslogTime } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const isoTime = time('Y-m-dTH:M:SfZ', 'fails');
/** Maximum number of elements of structured data. */
const MAX_ELEMENTS = 16;
/** A priority is the facility, times eight, and the severity. */
const priority: readonly Item[] = [
  '<',
  as('_priority', run(DIGIT, 1, 3)),
  '>',
  named('facility', '_priority', { shift: 3, mask: 127, names: FACILITIES }),
  named('log_level', '_priority', { shift: 0, mask: 7, names: SEVERITIES }),
];
/** A priority that does not exist counts as user.notice (RFC 3164, 4.3.3), and stays in the text. */
const wrongPriority: readonly Item[] = [
  not(...priority),
  ahead('<', run(DIGIT, 1, 3), '>'),
  put('facility', 'user'),
  put('log_level', 'notice'),
];

/** A word of RFC 5424 with the space after it; `-` is none. */
const word = (name: string): Item => either(['- '], [as(name, run(DARK)), ' ']);
const element: readonly Item[] = ['[', quoted(']'), ']'];
/** What follows the time in RFC 5424, up to the text. */
const header: readonly Item[] = [
  ' ',
  word('Hostname'),
  word('programname'),
  word('Pid'),
  word('message_id'),
  either(['-'], [as('structured_data', ...element, many(MAX_ELEMENTS - 1, ...element))]),
  either([' '], [eol()]),
  // RFC 5424 allows a byte order mark before UTF-8 text.
  maybe('\uFEFF'),
];
const tag: readonly Item[] = [
  as('programname', run(without(DARK, ':[]'), 1, 128)),
  maybe('[', as('Pid', run(without(DARK, ']'), 1, 128)), ']'),
  ':',
  maybe(' '),
];
/** A word is a host only if it lacks the colon of a tag and follows a timestamp. HAProxy omits the host by default. */
const bsd: readonly Item[] = [
  time('b e H:M:S', 'fails'),
  ' ',
  either(tag, [as('Hostname', run(DARK)), ' ', ...tag], []),
];
/** What has the form of a header of RFC 5424 or 3164, but is none, and so belongs to the text. */
const formOnly: Item = ahead(
  either(
    ['1 ', run(DARK), ' '],
    [exactly(3, WORD), ' ', either([' ', exactly(1, DIGIT)], [run(DIGIT, 1, 2)]), ' ', ...clock(), ' '],
  ),
);

function clock(): readonly Item[] {
  return [exactly(2, DIGIT), ':', exactly(2, DIGIT), ':', exactly(2, DIGIT)];
}

/** A syslog header with a time (RFC 5424 or 3164), with or without a priority. */
export const datedHeader: Item = either(
  [...priority, either(['1 ', isoTime, ...header], bsd)],
  ['1 ', isoTime, ...header],
  bsd,
);
/** A syslog header without a time. */
export const undatedHeader: Item = either(
  [...priority, either(['1 -', ...header], tag, [])],
  [...wrongPriority, either(tag, [])],
  ['1 -', ...header],
  [formOnly],
);
/** A text of which only the time is read: its priority does not exist, or its header is malformed. */
export const malformed: Item = either(
  [...wrongPriority, rest('Payload', ...syslogTime)],
  [maybe(...priority), rest('Payload', '1 ', isoTime, ' ')],
);

/**
 * Syslog lines as written by `--syslog` (RFC 5424) or by other daemons (3164, with or without a priority).
 *
 *     <30>1 2026-11-20T08:15:42.123Z lb1 keepalived 12 ID7 [x@1 a="b"] text
 *     <30>Nov 20 08:15:42 lb1 keepalived[12]: text
 */
export const syslog: FormatKind = {
  files: [{ directory: 'syslog', file: /./ }],
  table: {
    name: 'syslog',
    otherwise: 'alone',
    line: [either([datedHeader, rest('Payload')], [malformed], [undatedHeader, rest('Payload')], [elsewhere, bad()])],
  },
};
