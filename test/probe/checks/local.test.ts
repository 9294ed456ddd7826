import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLines, runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';

async function probe(...words: string[]): Promise<{ code: number; msg: string }> {
  const { code, stderr } = await runHelper('kolla-probe', words);
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

for (const [words, what] of [
  [['connected', 'nova-compute'], /^connected: PORT is missing$/],
  [['connected', 'nova-compute', '567x'], /^connected: '567x' is not a port from 1 to 65535$/],
  [['connected', 'nova-compute', '0'], /'0' is not a port/],
  [['connected', 'nova-compute', '65536'], /'65536' is not a port/],
  [['connected', ' ', '5672'], /the process's name is empty/],
  [['connected', '--any-process'], /PROCESS/],
  [['connected', 'nova-compute', '5672', '--at-least', '0'], /--at-least 0 is not a positive number$/],
  [['connected', '--pattern', '(', '5672'], /^connected: '\(' is not a regular expression$/],
  [['listen'], /PORT/],
  [['listen', 'http'], /^listen: 'http' is not a port/],
  [['listen', '53', '--protocol', 'sctp'], /'sctp' is not one of tcp, udp/],
  [['socket', 'run/x.sock'], /^socket: 'run\/x.sock' is not a path that starts with \/, or @NAME$/],
  [['process', ''], /the process's name is empty/],
  [['file-age', '/run/x'], /AGE/],
  [['file-age', '/run/x', '60'], /^file-age: '60' has no unit: write 60s/],
] as const) {
  test(`invalid arguments are usage errors: ${words.join(' ')}`, async () => {
    const { code, msg } = await probe(...words);
    assert.equal(code, 64);
    assert.match(msg, what);
  });
}

test('a negative result names the process, the condition and the current state', async () => {
  const port = await freePort();
  const { code, msg } = await probe('connected', 'kp-nobody ', `${port}`);
  assert.equal(code, 1);
  assert.equal(msg, `connected kp-nobody  ${port}: no process named kp-nobody; no connections to port ${port}`);
});

test('a liveness check of a connection to another Pod is rejected without --allow-remote', async () => {
  const words = ['connected', 'kp-nobody', '5672', '--role', 'liveness'];
  const { code, msg } = await probe(...words);
  assert.equal(code, 64);
  assert.match(msg, /contacts the other end of the connection, which is not this Pod/);
  assert.equal((await probe(...words, '--allow-remote')).code, 1);
  assert.equal((await probe('process', 'kp-nobody', '--role', 'liveness')).code, 1);
});
