import { ANY, bytesOf, DIGIT, WORD } from '../tables/byte-set.ts';
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
  type Impossible,
  type Item,
} from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const SPACES = run(bytesOf(' '));
/** Hours of one digit have a space for the other one, or none. */
const LAYOUTS = ['Y-m-d H:M:S', 'Y-m-d h:N:s', 'Y-m-d  h:N:s', 'ymd h:N:s', 'ymd  h:N:s'];
const stamp: Item = either(...LAYOUTS.map((layout): readonly Item[] => [time(layout)]));
const level: Item = maybe('[', as('log_level', run(WORD)), ']');
/** The time of a state transfer, which is the last thing in the line. */
const transferTime = (impossible: Impossible): readonly Item[] => [
  toLast(ANY, '('),
  '(',
  as('timestamp', time('Ymd H:M:SF', impossible)),
  ')',
  eol(),
];

/**
 * MariaDB, mysqld_safe, and a state transfer of Galera. As in Kolla the thread and the level stay in the payload, and
 * so does a transfer's time. Lines without a date, such as a stack trace, belong to the previous event.
 *
 *     2026-11-20  8:15:42 7 [Note] text
 *     261120 08:15:42 mysqld_safe text
 *     WSREP_SST: [INFO] text (20261120 08:15:42.123)
 */
export const mariadb: FormatKind = {
  files: [{ directory: 'mariadb', file: /^mariadb\.log$/, program: 'mariadb' }],
  table: {
    name: 'mariadb',
    otherwise: 'follows',
    line: [
      either(
        [
          ahead(
            either([exactly(4, DIGIT), '-', exactly(2, DIGIT), '-', exactly(2, DIGIT), ' '], [exactly(6, DIGIT), ' ']),
          ),
          place('begins'),
          as('timestamp', stamp),
          either([SPACES, rest('Payload', maybe(run(WORD), SPACES), level)], [bad()]),
        ],
        [rest('Payload', 'WSREP_SST: ', place('begins'), level, maybe(...transferTime('unreadable')))],
        ['W', ...transferTime('fails'), bad()],
        [elsewhere, bad()],
      ),
    ],
  },
};
