import { bytesOf, DARK, DIGIT, WORD, without, ANY } from '../tables/byte-set.ts';
import { as, bad, either, eol, exactly, maybe, not, place, rest, run, time, to, type Item } from '../tables/items.ts';
import { ctime, elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const SPACES = run(bytesOf(' '));
const TRACEBACK = 'Traceback (most recent call last):';

/** Looks like C's ctime, but is no time. */
const loose: readonly Item[] = [
  run(WORD),
  ' ',
  run(WORD),
  SPACES,
  run(DIGIT),
  ' ',
  run(DIGIT),
  ':',
  run(DIGIT),
  ':',
  run(DIGIT),
  ' ',
  run(DIGIT),
];

const BEFORE_TIME = ' bytes} [';
/** The address and the user may be a client's own text: of a line that seems to have two times, neither counts. */
const onlyOne = not(to(BEFORE_TIME));

/**
 * uWSGI: its own messages, unparsed, and one line per request. A traceback is one event: indented lines and the following line.
 *
 *     [pid: 7|app: 0|req: 1/1] 10.0.0.1 () {32 vars in 412 bytes} [Fri Nov 20 08:15:42 2026] GET / => ...
 */
export const uwsgi: FormatKind = {
  files: [{ file: /-uwsgi\.log$/ }],
  table: {
    name: 'uwsgi',
    otherwise: 'alone',
    goesOn: bytesOf(' '),
    trace: 'from',
    line: [
      either(
        [rest('Payload', TRACEBACK, eol(), place('opens'))],
        [
          '[pid: ',
          as('Pid', run(DIGIT)),
          '|app: ',
          as('App', run(DIGIT)),
          '|req: ',
          as('Req', run(DIGIT), '/', run(DIGIT)),
          '] ',
          as('Address', run(DARK)),
          ' (',
          as('User', run(without(ANY, ')'), 0)),
          ') {',
          as('Vars', run(DIGIT)),
          ' vars in ',
          as('Bytes', run(DIGIT)),
          ' bytes} [',
          as('Timestamp', either([exactly(3, WORD), ' ', time('b e H:M:S Y'), run(DIGIT, 0)], [...loose, bad()])),
          '] ',
          onlyOne,
          rest('Payload'),
        ],
        [rest('Payload', either([to(BEFORE_TIME), BEFORE_TIME, maybe(...ctime, onlyOne)], [elsewhere]))],
      ),
    ],
  },
};
