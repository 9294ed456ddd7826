import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseFlags, readData, recordVersion, type NodeDirectories } from '../../src/rabbitmq/data.ts';
import { imageVersion, parseVersion } from '../../src/rabbitmq/version.ts';
import { privateDirectory } from '../../tools/directory.ts';

const NODE = 'rabbit@rabbitmq-0.rabbitmq-nodes.openstack.svc.cluster.local';
/** As RabbitMQ 3.10.8 writes it. */
const FLAGS_OF_310 = `[classic_mirrored_queue_version,drop_unroutable_metric,empty_basic_get_metric,
 implicit_default_bindings,maintenance_mode_status,quorum_queue,stream_queue,
 user_limits,virtual_host_metadata].
`;
const FLAGS_OF_40 = `[khepri_db,message_containers,quorum_queue,\n 'rabbitmq_4.0.0',stream_queue].\n`;

async function place(t: TestContext, files: Partial<Record<'flags' | 'version', string>>): Promise<NodeDirectories> {
  const directory = await privateDirectory('rabbitmq-data');
  t.after(() => directory[Symbol.asyncDispose]());
  const base = join(directory.path, 'mnesia');
  await mkdir(join(base, NODE), { recursive: true });
  if (files.flags !== undefined) await writeFile(join(base, `${NODE}-feature_flags`), files.flags);
  const record = join(directory.path, 'version');
  if (files.version !== undefined) await writeFile(record, files.version);
  return { base, node: NODE, record };
}

for (const [title, files, version, source] of [
  ['a recorded version', { version: '4.0.5\n' }, '4.0.5', /version$/],
  ['feature flags without a record', { flags: FLAGS_OF_310 }, '3.10', /^feature flags in .*-feature_flags$/],
  ['the flag of a release', { flags: FLAGS_OF_40 }, '4.0.0', /^feature flags/],
  ['a record that is newer than all flags', { flags: FLAGS_OF_310, version: '3.12.1\n' }, '3.12.1', /version$/],
  ['a record that is as new as the flags', { flags: FLAGS_OF_40, version: '4.0.5\n' }, '4.0.5', /version$/],
  ['flags that are newer than the record', { flags: FLAGS_OF_40, version: '3.13.7\n' }, '4.0.0', /^feature flags/],
] as const)
  test(`the version of the data is read from ${title}`, async (t) => {
    const data = readData(await place(t, files));
    assert.equal(data?.version.text, version);
    assert.match(data.source, source);
  });

test('nothing is known about a node without data, or that never finished its first start', async (t) => {
  assert.equal(readData(await place(t, {})), undefined);
  assert.equal(readData(await place(t, { flags: '[].\n' })), undefined);
  const left = await place(t, { flags: FLAGS_OF_40, version: '4.0.5\n' });
  assert.equal(readData({ ...left, node: 'rabbit@other' }), undefined);
  assert.equal(readData({ ...left, base: join(left.base, 'missing') }), undefined);
});

test('a damaged file is reported with its name and the fix', async (t) => {
  for (const version of ['', '4\n', 'latest\n', 'x'.repeat(100_000)]) {
    const given = await place(t, { version });
    assert.throws(
      () => readData(given),
      (error: Error) => error.message.includes(given.record),
    );
  }
});

test('a record is replaced only by another version', async (t) => {
  const { record } = await place(t, {});
  recordVersion(record, parseVersion('4.0.5')!);
  assert.equal(await readFile(record, 'utf8'), '4.0.5\n');
  const { ino } = await stat(record);
  recordVersion(record, parseVersion('4.0.5')!);
  assert.equal((await stat(record)).ino, ino);
  recordVersion(record, parseVersion('4.0.6')!);
  assert.equal(await readFile(record, 'utf8'), '4.0.6\n');
});

test("feature flags are parsed as RabbitMQ's Erlang term", () => {
  assert.deepEqual(
    [...parseFlags(FLAGS_OF_40)],
    ['khepri_db', 'message_containers', 'quorum_queue', 'rabbitmq_4.0.0', 'stream_queue'],
  );
  assert.equal(parseFlags(FLAGS_OF_310).size, 9);
});

test("the image's version is the name of RabbitMQ's directory, of which there is one", async (t) => {
  const directory = await privateDirectory('rabbitmq-image');
  t.after(() => directory[Symbol.asyncDispose]());
  assert.throws(() => imageVersion(join(directory.path, 'missing')), /run this in RabbitMQ's image/);
  await mkdir(join(directory.path, 'erlang'));
  assert.throws(() => imageVersion(directory.path), /has 0 directories/);
  await mkdir(join(directory.path, 'rabbitmq_server-4.3.6'));
  assert.equal(imageVersion(directory.path).text, '4.3.6');
  await mkdir(join(directory.path, 'rabbitmq_server-4.0.5'));
  assert.throws(() => imageVersion(directory.path), /has 2 directories/);
});
