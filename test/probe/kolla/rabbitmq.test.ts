import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseListener } from '../../../src/probe/kolla/rabbitmq.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';

for (const [text, wanted] of [
  ['', undefined],
  ['listeners.tcp = none\n', undefined],
  ['# listeners.tcp.1 = 10.0.0.5:5672\n', undefined],
  ['cluster_name = x\nlisteners.tcp.1 = 10.0.0.5:5672\n', { host: '10.0.0.5', port: 5672, isTls: false }],
  ['listeners.tcp.default = 5673', { host: '127.0.0.1', port: 5673, isTls: false }],
  ['listeners.tcp.1 = 0.0.0.0:5672', { host: '127.0.0.1', port: 5672, isTls: false }],
  ['listeners.tcp.1 = :::5672', { host: '::1', port: 5672, isTls: false }],
  ['listeners.tcp.1 = [fd00::5]:5672', { host: 'fd00::5', port: 5672, isTls: false }],
  ['listeners.tcp = none\nlisteners.ssl.1=10.0.0.5:5671', { host: '10.0.0.5', port: 5671, isTls: true }],
  ['listeners.ssl.1 = 1.1.1.1:1\nlisteners.tcp.1 = 2.2.2.2:2', { host: '2.2.2.2', port: 2, isTls: false }],
] as const)
  test(`parses the broker's listener: ${text.trim().replaceAll('\n', '; ')}`, () => {
    assert.deepEqual(parseListener(text), wanted);
  });

test('the broker is checked at the listener of its rabbitmq.conf', async () => {
  await using directory = await privateDirectory('rabbitmq');
  const file = join(directory.path, 'rabbitmq.conf');
  const env = { RABBITMQ_CONFIG_FILE: file };
  await using server = await listenTcp((socket) => void socket.on('end', () => socket.end()).resume());
  await writeFile(file, `listeners.tcp.1 = 127.0.0.1:${server.port}\n`);
  assert.deepEqual(await runHelper('healthcheck_rabbitmq', [], { env }), { code: 0, stdout: '', stderr: '' });
  await writeFile(file, `listeners.tcp.1 = 127.0.0.1:${await freePort()}\n`);
  const { code, stdout, stderr } = await runHelper('healthcheck_rabbitmq', [], { env });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /^healthcheck_rabbitmq: .*refused/i);
});

test('the reason for a frozen broker names the missing response', async () => {
  await using server = await listenTcp((socket) => void socket.resume(), '127.0.0.1', 0, {
    allowHalfOpen: true,
  });
  const env = { RABBITMQ_NODE_PORT: `${server.port}`, KOLLA_PROBE_TIMEOUT: '4s' };
  const { code, stderr } = await runHelper('healthcheck_rabbitmq', [], { env });
  assert.equal(code, 1);
  assert.match(stderr, /^healthcheck_rabbitmq: no response in 4s: \S+/);
});
