import { bytesOf, DARK, DIGIT, union, without, ANY } from '../tables/byte-set.ts';
import {
  ahead,
  as,
  either,
  eol,
  exactly,
  many,
  maybe,
  not,
  rest,
  run,
  time,
  to,
  toEnd,
  toLast,
  within,
  type Item,
} from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';
import { requestIn } from './request.ts';
import { datedHeader, malformed, undatedHeader } from './syslog.ts';

/** Numbers with slashes in between. */
const slashed = (count: number, one: Item): readonly Item[] =>
  Array.from({ length: count }).flatMap((_, at) => (at === 0 ? [one] : ['/', one]));
const word = (name: string): readonly Item[] => [as(name, run(DARK)), ' '];

const timer = run(union(DIGIT, bytesOf('-+')));
const head: readonly Item[] = [
  as('client', toLast(DARK, ':')),
  ':',
  as('client_port', run(DIGIT)),
  ' [',
  run(without(ANY, ']')),
  '] ',
  ...word('frontend'),
  as('backend', run(without(DARK, '/'))),
  '/',
  ...word('server'),
];
const bytes: readonly Item[] = [as('bytes', maybe('+'), run(DIGIT)), ' '];
const counts: readonly Item[] = [
  as('connections', ...slashed(5, run(union(DIGIT, bytesOf('+'))))),
  ' ',
  as('queues', ...slashed(2, run(DIGIT))),
];
/** HAProxy writes a quote in a request as `#22`, and `option httpslog` adds fields of TLS after it. */
const request: Item = either(
  [as('_request', to('"')), '"', ahead(either([eol()], [' ']))],
  [as('_request', toEnd('"'))],
);
/** `option httplog`, `option httpslog` and `option tcplog`. */
const http: readonly Item[] = [
  ...head,
  as('timers', ...slashed(5, timer)),
  ' ',
  as('status', maybe('-'), run(DIGIT)),
  ' ',
  ...bytes,
  ...word('request_cookie'),
  ...word('response_cookie'),
  as('termination_state', exactly(4, DARK)),
  ' ',
  ...counts,
  maybe(' {', as('request_headers', to('}')), '}'),
  maybe(' {', as('response_headers', to('}')), '}'),
  ' "',
  request,
  requestIn('_request'),
];
const tcp: readonly Item[] = [
  ...head,
  as('timers', ...slashed(3, timer)),
  ' ',
  ...bytes,
  as('termination_state', exactly(2, DARK)),
  ' ',
  ...counts,
  eol(),
];
const connected: readonly Item[] = ['[', time('d/b/Y:H:M:SF', 'fails'), ']'];
/** What a client sends is in braces or quotes: headers, and the request. */
const ours = run(without(ANY, '["{'), 0);
/** The time in the first brackets that contain one, unless a client may have chosen it. */
const accepted: readonly Item[] = [many(16, ours, not(...connected), '['), ours, ...connected];

/**
 * HAProxy's `option httplog`, `option httpslog` and `option tcplog`, as syslog lines or bare. As in Kolla the payload is the message;
 * fields are added to it. The timestamp is syslog's, or the connection's for a line without one.
 *
 *     <142>Nov 20 08:15:42 haproxy[12]: 10.0.0.9:41122 [20/Nov/2026:08:15:42.102] fe be/c1 0/0/1/20/21 200 1234 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"
 */
export const haproxy: FormatKind = {
  files: [{ directory: 'haproxy', file: /./, program: 'haproxy' }],
  table: {
    name: 'haproxy',
    otherwise: 'alone',
    fields: {
      client_port: { kind: 'number' },
      status: { kind: 'number' },
      bytes: { kind: 'number' },
      // In Kolla's schema it is that of the file.
      programname: { only: 'ecs' },
    },
    line: [
      either(
        [datedHeader, rest('Payload', either(http, tcp, []))],
        [malformed],
        [undatedHeader, rest('Payload', either(http, tcp, [])), within('Payload', either(accepted, []))],
        [rest('Payload', either(http, tcp)), within('Payload', either(accepted, []))],
        [rest('Payload', either(accepted, [elsewhere]))],
      ),
    ],
  },
};
