import { ANY, DIGIT, WORD, without } from '../tables/byte-set.ts';
import { ahead, as, bad, either, exactly, maybe, place, rest, run, time, type Item } from '../tables/items.ts';
import { ctime, elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/** `[module:level] [pid 7:tid 8] [client 10.0.0.5:41122]` of Apache's default format, after the time. */
const details: Item = maybe(
  '] [',
  maybe(as('module', run(without(ANY, ':]'), 0)), ':'),
  as('log_level', run(WORD)),
  ']',
  maybe(' [pid ', as('Pid', run(DIGIT)), maybe(':tid ', as('tid', run(DIGIT))), ']'),
  maybe(' [client ', as('client', run(without(ANY, ']'))), ']'),
);
/** The start of C's ctime. */
const startsCtime = ahead(exactly(3, WORD), ' ', exactly(3, WORD), ' ', maybe(' '), exactly(1, DIGIT));

/**
 * Apache's error log in Kolla's format, its default format, and nginx's. Lines without a timestamp belong to the previous event.
 * As in Kolla the payload is the whole event.
 *
 *     2026-11-20 08:15:42.123456 text
 *     [Fri Nov 20 08:15:42.123456 2026] [wsgi:error] [pid 21:tid 139] [client 10.0.0.5:41122] text
 *     2026/11/20 08:15:42 [warn] 12#0: text
 */
export const apacheError: FormatKind = {
  files: [{ file: /[-_]error\.log$/ }],
  table: {
    name: 'apache-error',
    otherwise: 'follows',
    line: [
      rest(
        'Payload',
        either(
          [time('Y-m-d H:M:Sf', 'undated'), place('begins')],
          ['[', startsCtime, place('begins'), maybe(...ctime), run(without(ANY, ']'), 0), details],
          [
            time('Y/m/d H:M:S', 'undated'),
            place('begins'),
            maybe(' [', as('log_level', run(WORD)), '] ', as('Pid', run(DIGIT)), '#'),
          ],
          // Kolla's format has no zone.
          [time('Y-m-dTH:M:Sf', 'fails'), bad()],
          [elsewhere, bad()],
        ),
      ),
    ],
  },
};
