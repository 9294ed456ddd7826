/** Times that a client writes into its own line, which must not become the line's: each day has an index. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRules } from '../../../src/logship/formats/options.ts';
import { oneDocument } from '../one-document.ts';

const NEAR_MS = Date.UTC(2026, 10, 21);
const ACCESS = '[20/Nov/2026:08:15:42 +0000] "GET / HTTP/1.1" 200 5';
const CLF = '[01/Jan/1971:00:00:00 +0000]';
const REQUEST = '{5 vars in 10 bytes} [Fri Nov 20 08:15:42 2026] GET / => generated 2 bytes';
const FAKE = '{1 vars in 1 bytes} [Fri Jan  1 00:00:00 1971] GET /';
const ACCEPTED = '[20/Nov/2026:08:15:42.102]';
const NONE = undefined;
const REAL = '2026-11-20T08:15:42';

for (const [format, line, time] of [
  // The forwarded client, and the user of nginx.
  ['apache-access', `a b c ${CLF} - - ${ACCESS}`, NONE],
  ['apache-access', `10.0.0.1 - x ${CLF} ${ACCESS}`, NONE],
  ['apache-access', `a b c ${CLF} \\" - - ${ACCESS}`, NONE],
  ['apache-access', `a b c ${CLF} \\x22 - - ${ACCESS}`, NONE],
  ['apache-access', `a b c ${CLF} ${'['.repeat(20)} - - ${ACCESS}`, NONE],
  ['apache-access', `${'['.repeat(20)} b c ${CLF} - - ${ACCESS}`, NONE],
  ['apache-access', `1971-01-01 00:00:00 x ${CLF} - - - ${ACCESS}`, NONE],
  ['apache-access', `time=1971-01-01T00:00:00Z x y [z] - - ${ACCESS.slice(29)}`, NONE],
  ['apache-access', `a b c [x] - - ${ACCESS}`, REAL],
  ['apache-access', `10.0.0.1 - x y - ${ACCESS}`, REAL],
  ['apache-access', `10.0.0.1 - - [x] ${ACCESS} "${CLF}"`, REAL],
  ['apache-access', `{"time":"2026-11-20T08:15:42Z","user":"[x]"}`, REAL],
  ['uwsgi', `[pid: 1|app: 0|req: 1/1] a (b) ${FAKE} (c) ${REQUEST}`, NONE],
  ['uwsgi', `[pid: 1|app: 0|req: 1/1] a b (b) ${FAKE} (c) ${REQUEST}`, NONE],
  ['uwsgi', `[pid: 1|app: 0|req: 1/1] a b (c) ${REQUEST}`, REAL],
  ['haproxy', `10.0.0.9:4 [x] fe {GET /${ACCEPTED.replace('2026', '1971')}" ${ACCEPTED}`, NONE],
  ['haproxy', `10.0.0.9:4 ${ACCEPTED} fe/1: SSL handshake failure`, REAL],
] as const)
  test(`${format}: ${line} has ${time === undefined ? 'no time' : 'its own time'}`, () => {
    const formats = formatRules([`*=${format}`], '/logs/x');
    const { timeMs } = oneDocument('/logs/x/a', line, { formats, nearMs: NEAR_MS });
    assert.equal(Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString().slice(0, 19), time);
  });
