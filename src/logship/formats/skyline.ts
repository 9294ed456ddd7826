import { ANY, bytesOf, DARK, DIGIT, UPPER, without } from '../tables/byte-set.ts';
import {
  ahead,
  as,
  bad,
  either,
  eol,
  exactly,
  maybe,
  place,
  rest,
  run,
  time,
  toLast,
  within,
  type Item,
} from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';
import { requestIn } from './request.ts';

/** The length of a date and time up to the seconds. */
const SECONDS = 19;
const two = exactly(2, DIGIT);
const date: readonly Item[] = [exactly(4, DIGIT), '-', two, '-', two];
const clock: readonly Item[] = [two, ':', two, ':', two];
const word = run(without(DARK, ':'));

/** `10.0.0.5:41122 - "GET / HTTP/1.1" 200` */
const request: Item = maybe(
  as('client', toLast(DARK, ':')),
  ':',
  as('client_port', run(DIGIT)),
  ' - "',
  as('_request', run(without(ANY, '"'), 0)),
  '" ',
  as('status', exactly(3, DIGIT)),
  eol(),
  requestIn('_request'),
);
/** gunicorn with kolla-ansible's settings: the fraction of the second follows the bracket. */
const gunicorn: readonly Item[] = [
  '[',
  as(
    '_stamp',
    as('_time', ...date, ' ', ...clock),
    ' ',
    as('_zone', exactly(1, bytesOf('+-')), exactly(4, DIGIT)),
    '].',
    as('_fraction', exactly(3, DIGIT)),
  ),
  ' ',
  ahead(exactly(1, DIGIT)),
  place('begins'),
  within('_stamp', either([time('Y-m-d H:M:S Z]F')], [bad()])),
  as('Pid', run(DIGIT)),
  ' ',
  as('log_level', run(UPPER)),
  ' [-]',
  maybe(' '),
  rest('Payload', request),
];
/** loguru. */
const own: readonly Item[] = [
  ahead(exactly(SECONDS, ANY), '.', exactly(3, DIGIT), ' '),
  as('_own', time('Y-m-d H:M:SF')),
  ' | ',
  ahead(exactly(1, UPPER)),
  place('begins'),
  as('log_level', run(UPPER)),
  run(bytesOf(' '), 0),
  '| ',
  as('python_module', word),
  ':',
  as('function', word),
  ':',
  as('line', run(DIGIT)),
  ' -',
  maybe(' '),
  rest('Payload'),
];

/**
 * Skyline's gunicorn and its own log. Lines without such a prefix, such as a traceback, belong to the previous event. A request is in the
 * payload; fields are added to it.
 *
 *     [2026-11-20 08:15:42 +0000].123 7 INFO [-] text
 *     2026-11-20 08:15:42.123 | INFO     | module:function:12 - text
 */
export const skyline: FormatKind = {
  files: [{ directory: 'skyline', file: /^(?!.*nginx)/ }],
  table: {
    name: 'skyline',
    otherwise: 'follows',
    trace: 'from',
    fields: {
      Timestamp: {
        parts: [
          ['', '_time'],
          ['.', '_fraction'],
          [' ', '_zone'],
        ],
      },
      _own: { name: 'Timestamp' },
      client_port: { kind: 'number' },
      status: { kind: 'number' },
    },
    line: [
      either(
        gunicorn,
        own,
        // Its own log has no zone.
        [either([time('Y-m-d H:M:Sf', 'fails')], [time('Y-m-dTH:M:Sf', 'fails')], [elsewhere]), bad()],
      ),
    ],
  },
};
