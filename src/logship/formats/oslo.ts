import { ABOVE_SPACE, DIGIT, NOT_SPACE, UPPER } from '../tables/byte-set.ts';
import { as, bad, either, eol, is, maybe, not, place, rest, run, time, toLast, type Item } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const WORDS = ['user_id', 'tenant_id', 'domain_id', 'system_scope', 'user_domain'];

/** `[None req-… user tenant domain scope user_domain project_domain]`, or with a global request id instead of None. */
const context: readonly Item[] = [
  '[',
  either(['None '], ['req-', as('global_request_id', run(NOT_SPACE, 0)), ' ']),
  'req-',
  as('request_id', run(NOT_SPACE, 0)),
  ' ',
  ...WORDS.flatMap((name) => [as(name, run(NOT_SPACE)), ' ']),
  as('project_domain', toLast(NOT_SPACE, ']')),
  ']',
  maybe(' '),
];

/**
 * Lines of oslo.log: `date time pid LEVEL module [context] message`. Traceback lines have their own prefix, with the
 * same time, process and module, always at ERROR (formerly TRACE) and without a context, but possibly with an instance.
 * Lines without a prefix continue a message with newlines, so they belong to the event written last.
 * As in Kolla's fluentd request ids lose `req-`, and an incomplete context (`[-]`) stays in the payload.
 * Its files are those of a service: index.ts.
 *
 *     2026-11-20 08:15:42.123 7 INFO nova.api [None req-r1 u1 t1 d1 all ud1 pd1] text
 */
export const oslo: FormatKind = {
  files: [],
  table: {
    name: 'oslo',
    otherwise: 'follows',
    process: 'Pid',
    same: ['Timestamp', 'Pid', 'python_module'],
    trace: 'lines',
    line: [
      either(
        [
          as('Timestamp', time('Y-m-d H:M:Sf')),
          ' ',
          as('Pid', run(DIGIT)),
          ' ',
          as('log_level', run(UPPER)),
          ' ',
          as('python_module', run(ABOVE_SPACE)),
          either([' '], [eol()]),
          either(
            [is('log_level', 'ERROR', 'TRACE'), not('[', either(['-]'], ['req-'], ['None'])), place('resumes')],
            [place('begins')],
          ),
          maybe(...context),
          rest('Payload'),
        ],
        [elsewhere, bad()],
      ),
    ],
  },
};
