import { ANY, bytesOf, DARK, DIGIT, union, without } from '../tables/byte-set.ts';
import {
  ahead,
  as,
  bad,
  either,
  exactly,
  many,
  maybe,
  not,
  put,
  quoted,
  rest,
  run,
  time,
  to,
  within,
  type Item,
} from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';
import { requestIn } from './request.ts';

const clfTime = time('d/b/Y:H:M:S Z', 'fails');
const bracket: readonly Item[] = ['[', clfTime, ']'];
const otherBrackets = many(16, to('['), not(...bracket), '[');
/**
 * The time of a line that is not in these formats. What a client sends may precede it, but only with escaped quotes: it is the only
 * bracket with a time before the first quote. A line with two of them has no time, also not at its start.
 */
const onlyTime: Item = either(
  [
    as('_head', quoted()),
    within('_head', to('[')),
    maybe(within('_head', otherBrackets, to('['), ...bracket, otherBrackets, not(to('[')))),
  ],
  [elsewhere],
);
/** An address; several are separated by commas, since proxies add theirs. */
const address = run(without(DARK, ','), 1, 200);

/** A quoted text, unless it is `-`. */
const given = (name: string): Item => either(['-"'], [as(name, quoted()), '"']);

/** A response time in seconds, and those of the servers behind. */
const seconds: Item = maybe(
  '"',
  as('_seconds', run(DIGIT), '.', run(DIGIT)),
  '" "',
  run(union(DIGIT, bytesOf('-., :')), 1, 200),
  '" ',
);

/**
 * Apache's access log in Kolla's format (forwarded client, response time in microseconds), and its common and combined
 * formats; nginx's in Skyline's format (response time in seconds). As in Kolla the payload is the whole line; fields are added to it.
 *
 *     10.0.0.5 - admin [20/Nov/2026:08:15:42 +0200] "GET /v3/auth HTTP/1.1" 200 512 1234 "http://horizon/" "curl/8"
 */
export const apacheAccess: FormatKind = {
  files: [{ file: /[-_]access\.log$/ }],
  table: {
    name: 'apache-access',
    otherwise: 'alone',
    fields: {
      status: { kind: 'number' },
      bytes: { kind: 'number' },
      duration_us: { kind: 'number' },
      _seconds: { name: 'duration_us', shift: 6 },
    },
    line: [
      rest(
        'Payload',
        either(
          [
            either(['- '], [as('client', address, many(20, ',', maybe(' '), address)), ' ']),
            run(DARK, 1, 100),
            ' ',
            either(['- ['], [ahead(exactly(1, DARK)), as('user', to(' [')), ' [']),
            either([clfTime, ahead(']')], [run(without(ANY, ']'), 1, 40)]),
            '] ',
            seconds,
            '"',
            as('_request', quoted()),
            '" ',
            requestIn('_request'),
            either(['-'], [as('status', exactly(3, DIGIT))]),
            ' ',
            // Apache writes - for an empty response.
            either(['-', put('bytes', '0')], [as('bytes', run(DIGIT))]),
            either([within('_seconds'), maybe(' ', run(DIGIT))], [maybe(' ', as('duration_us', run(DIGIT)))]),
            maybe(' "', given('referer'), ' "', given('agent')),
          ],
          [onlyTime, bad()],
        ),
      ),
    ],
  },
};
