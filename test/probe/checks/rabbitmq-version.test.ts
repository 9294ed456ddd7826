import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { rabbitmq } from '../../../src/probe/checks/rabbitmq.ts';
import { freePort } from '../../../tools/port.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { scriptedBroker } from '../../support/amqp-broker.ts';
import { asked } from './asked.ts';

async function site(t: TestContext) {
  const directory = await privateDirectory('rabbitmq-version');
  t.after(() => directory[Symbol.asyncDispose]());
  await mkdir(join(directory.path, 'lib/rabbitmq_server-4.3.6'), { recursive: true });
  const file = join(directory.path, 'version');
  const words = (port: number, to = file) => [
    `127.0.0.1:${port}`,
    '--version-file',
    to,
    '--image',
    join(directory.path, 'lib'),
  ];
  return { file, words };
}

test('a healthy node records the version of its image', async (t) => {
  const { file, words } = await site(t);
  await using broker = await scriptedBroker();
  assert.equal((await asked(rabbitmq, words(broker.port))).healthy, true);
  assert.equal(await readFile(file, 'utf8'), '4.3.6\n');
});

test('a node that is not healthy records nothing', async (t) => {
  const { file, words } = await site(t);
  assert.equal((await asked(rabbitmq, words(await freePort()))).healthy, false);
  await assert.rejects(readFile(file), { code: 'ENOENT' });
});

test('a file that cannot be written is logged, and the node stays healthy', async (t) => {
  const { file, words } = await site(t);
  await using broker = await scriptedBroker();
  const { log, said } = recordedLog();
  assert.equal((await asked(rabbitmq, words(broker.port, join(file, 'missing/version')), {}, 5000, log)).healthy, true);
  assert.match(said(), /the version of this RabbitMQ is not recorded in .*missing\/version: no such file or directory/);
});
