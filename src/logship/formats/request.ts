import { DARK, DIGIT, PRINT } from '../tables/byte-set.ts';
import { as, either, eol, exactly, maybe, run, toEnd, within, type Item } from '../tables/items.ts';

/** The parts of a request line in a capture, `GET /path HTTP/1.1`, or the whole line as `request` if it is malformed. */
export function requestIn(name: string): Item {
  const protocol = as('protocol', 'HTTP/', exactly(1, DIGIT), maybe('.', exactly(1, DIGIT)));
  return within(
    name,
    either(
      [as('method', run(PRINT)), ' ', as('path', run(DARK)), either([eol()], [' ', protocol, eol()])],
      [as('request', toEnd())],
    ),
  );
}
