import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { HttpParseError } from '../../src/net/codec/head.ts';
import { unanswered } from '../../src/wait/dependency/retry.ts';
import { run, start } from '../../tools/process.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { HELPERS, logLines } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { wait } from './support.ts';

const WITHOUT_NETWORK = ['--user', '--map-root-user', '--net', process.execPath];
const lookup = `require('node:dns').lookup('nobody.test', ({ code }) => console.log(code))`;
const looked = await run('unshare', [...WITHOUT_NETWORK, '-e', lookup]).catch(() => undefined);
const skip = looked?.stdout.trim() === 'EAI_AGAIN' ? false : 'no process without a DNS server can be started here';

const failed = (code?: string) => Object.assign(new Error('it failed'), { code });

for (const [error, is] of [
  [failed('ECONNREFUSED'), 'pending'],
  [failed('ENOTFOUND'), 'pending'],
  [failed('EHOSTUNREACH'), 'pending'],
  [new HttpParseError('Expected HTTP/'), 'pending'],
  [new ConfigError('an unreadable CA bundle'), 'skipped'],
  [failed(), 'pending'],
  [failed('EAI_AGAIN'), 'skipped'],
  [failed('EMFILE'), 'skipped'],
  [failed('ENOBUFS'), 'skipped'],
  [failed('CERT_HAS_EXPIRED'), 'skipped'],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'skipped'],
  [new AggregateError([failed('ENETUNREACH'), failed('ENETUNREACH')]), 'skipped'],
  [new AggregateError([failed('EADDRNOTAVAIL'), failed('ECONNREFUSED')]), 'pending'],
] as const) {
  const errors = (error instanceof AggregateError ? error.errors : [error]) as NodeJS.ErrnoException[];
  test(`${errors.map(({ code, name }) => code ?? `${name} without a code`).join(' and ')} is ${is}`, () => {
    assert.deepEqual(unanswered(error, 'why'), { is, state: 'why' });
  });
}

test('if no DNS server responds, no server counts as absent', { skip }, async () => {
  const waits = ['tcp', 'mysql', 'amqp', 'amqps', 'memcached', 'http', 'https'].map(
    (kind) => `!${kind}://nobody.test:1`,
  );
  const words = waits.flatMap((one) => ['--wait', one]);
  const args = ['kolla-init', '--config-dir', '/no/config', '--allow-no-config', '--timeout', '1h', ...words];
  await using running = await start('unshare', [...WITHOUT_NETWORK, HELPERS, ...args], { keepOutput: true });
  running.child.stdout!.resume();
  let said = '';
  running.child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('each wait to report that its name cannot be resolved', (saw) => {
    saw(said);
    const messages = logLines(said.slice(0, said.lastIndexOf('\n') + 1)).map(({ msg }) => msg);
    return (
      waits.every((one) => messages.some((message) => message.startsWith(one) && message.includes('EAI_AGAIN'))) ||
      undefined
    );
  });
  assert.equal(await running.stop(), 143, said);
  assert.doesNotMatch(said, /ready after/);
});

test('a server with an untrusted certificate is not absent', async () => {
  const { certificate, key } = makeAuthority('nobody').issue({ commonName: 'api', hosts: ['127.0.0.1'] });
  const server = createServer({ cert: certificate, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `!https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { done, messages } = wait([url], {
    onLine: (line) => {
      if (line.includes('UNABLE_TO_VERIFY_LEAF_SIGNATURE')) server.close();
    },
  });
  await done;
  assert.match(messages().at(-1) ?? '', /ready after .*: connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
});
