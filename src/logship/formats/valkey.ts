import { ANY, bytesOf, DIGIT, LETTER, union, WORD } from '../tables/byte-set.ts';
import {
  ahead,
  as,
  bad,
  either,
  eol,
  epoch,
  exactly,
  maybe,
  place,
  rest,
  run,
  time,
  within,
  type Item,
} from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const LAYOUT = 'e b Y H:M:SF';
const startsWithDigit = ahead(exactly(1, DIGIT));
/** Looks like a time, but is none. */
const loose: readonly Item[] = [
  run(DIGIT),
  ' ',
  run(WORD),
  ' ',
  run(DIGIT),
  ' ',
  run(DIGIT),
  ':',
  run(DIGIT),
  ':',
  run(DIGIT),
  '.',
  run(DIGIT),
];

/**
 * Valkey and Sentinel. Role and level have one character each; a signal handler writes the seconds since the epoch, and no level. A
 * crash report starts an event. Other lines belong to the previous one.
 *
 *     7:M 20 Nov 2026 08:15:42.123 * text
 *     7:signal-handler (1795162542) Received SIGTERM scheduling shutdown...
 *     === VALKEY BUG REPORT START: Cut & paste starting from here ===
 */
export const valkey: FormatKind = {
  files: [{ directory: 'valkey', file: /^valkey(?:-sentinel)?\.log$/, program: 'valkey' }],
  table: {
    name: 'valkey',
    otherwise: 'follows',
    line: [
      either(
        [
          as('Pid', run(DIGIT)),
          ':',
          as('Role', run(union(LETTER, bytesOf('-')))),
          ' ',
          place('begins'),
          either(
            [
              startsWithDigit,
              as('Timestamp', either([time(LAYOUT)], [...loose, bad()])),
              ' ',
              as('LogLevel', exactly(1, ANY)),
              ' ',
              rest('Payload'),
            ],
            [rest('Payload', '(', as('_seconds', run(DIGIT)), ') '), within('_seconds', maybe(epoch(), eol()))],
            [rest('Payload', maybe(startsWithDigit, time(LAYOUT, 'fails')))],
          ),
        ],
        [rest('Payload', '=== ', run(WORD), ' BUG REPORT START', place('begins'))],
        [elsewhere, bad()],
      ),
    ],
  },
};
