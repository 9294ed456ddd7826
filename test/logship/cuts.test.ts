import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { allCreated } from '../support/bulk-reply.ts';

const RECORD = '2026-11-20 08:15:42.123 7 ERROR keystone [-] Failed: E: no';
const TRACE = '2026-11-20 08:15:42.123 7 ERROR keystone Traceback (most recent call last):';

const SOON = ['--multiline-timeout', '200ms'];

/** The log file of a service, and a server that stores the documents. */
async function world() {
  const directory = await privateDirectory('cuts');
  const file = join(directory.path, 'keystone/keystone.log');
  await mkdir(join(directory.path, 'keystone'));
  await writeFile(file, `${RECORD}\n`);
  const payloads: string[] = [];
  let onTaken = () => {};
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const sources = body.split('\n').filter((line) => line.includes('"Payload"'));
    payloads.push(...sources.map((source) => (JSON.parse(source) as { Payload: string }).Payload));
    response.end(allCreated(body));
    onTaken();
  };
  const server = await listenHttp((request, response) => void take(request, response));
  return {
    file,
    payloads,
    args: ['--root', directory.path, '--url', `http://127.0.0.1:${server.port}`],
    checkpoint: join(directory.path, '.kolla-log-ship/checkpoint.json'),
    taken: () => new Promise<void>((resolve) => (onTaken = resolve)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Waits for texts in the log. It reads from the start, because a chunk that comes between two waits would be lost. */
function listener(stderr: Readable) {
  let heard = '';
  stderr.on('data', (piece: Buffer) => (heard += piece.toString()));
  return (words: string) =>
    until(`'${words}' to be logged`, (saw) => {
      saw(heard);
      return heard.includes(words) || undefined;
    });
}

test('an event is sent after its timeout once its end is in the checkpoint, and later lines form a new one', async () => {
  await using w = await world();
  const taken = w.taken();
  await using shipper = await startHelper('kolla-log-ship', [...w.args, ...SOON]);
  await taken;
  shipper.child.kill('SIGKILL');
  await shipper.ended;
  const { files } = JSON.parse(await readFile(w.checkpoint, 'utf8')) as { files: { cuts: unknown[] }[] };
  const [entry] = files as { mark: { offset: number }; cuts: { start: number; at: number }[] }[];
  // Until the response is recorded, the checkpoint contains the cut; afterwards its mark is past the cut.
  assert.ok(
    entry?.mark.offset === RECORD.length + 1 || entry?.cuts[0]?.at === RECORD.length + 1,
    JSON.stringify(entry),
  );
  await appendFile(w.file, `${TRACE}\n`);
  const { code, stderr } = await runHelper('kolla-log-ship', [...w.args, '--once']);
  assert.equal(code, 0, stderr);
  assert.deepEqual([...new Set(w.payloads)], ['[-] Failed: E: no', 'Traceback (most recent call last):']);
});

for (const [how, rotate] of [
  ['renamed', (file: string) => rename(file, `${file}.1`)],
  ['copied and truncated', (file: string) => copyFile(file, `${file}.1`).then(() => truncate(file))],
] as const) {
  test(`a traceback across a file that was ${how} is one document`, async () => {
    await using w = await world();
    const taken = w.taken();
    await using shipper = await startHelper('kolla-log-ship', [...w.args, '--multiline-timeout', '60s'], {
      keepOutput: true,
    });
    await listener(shipper.child.stderr!)('shipping ');
    await rotate(w.file);
    await appendFile(w.file, `${TRACE}\n${RECORD}\n`);
    await taken;
    assert.deepEqual(w.payloads, [`[-] Failed: E: no\n${TRACE}`]);
    shipper.child.kill('SIGTERM');
    assert.equal(await shipper.ended, 0);
    assert.deepEqual(w.payloads, [`[-] Failed: E: no\n${TRACE}`, '[-] Failed: E: no']);
  });
}

test('nothing is sent after a cut while the checkpoint cannot be written', async () => {
  await using w = await world();
  // The first line comes when the checkpoint cannot be written any more, because its event is cut soon afterwards.
  await truncate(w.file);
  await using shipper = await startHelper('kolla-log-ship', [...w.args, ...SOON, '--grace', '500ms'], {
    keepOutput: true,
  });
  const said = listener(shipper.child.stderr!);
  await said('shipping ');
  // Renaming a file onto a directory that is not empty fails.
  await rm(w.checkpoint);
  await mkdir(w.checkpoint);
  await writeFile(join(w.checkpoint, 'x'), '');
  await appendFile(w.file, `${RECORD}\n`);
  await said('cannot write');
  shipper.child.kill('SIGTERM');
  assert.equal(await shipper.ended, 143);
  assert.deepEqual(w.payloads, []);
  await rm(w.checkpoint, { recursive: true });
  const { code, stderr } = await runHelper('kolla-log-ship', [...w.args, '--once']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(w.payloads, ['[-] Failed: E: no']);
});

for (const [when, isKnown] of [
  ['as is known when the shipper stops', true],
  ['as the shipper finds when it stops', false],
] as const) {
  test(`an unterminated line is not sent if the checkpoint cannot record its end, ${when}`, async () => {
    await using w = await world();
    const file = join(dirname(w.file), '../app/app.log');
    await mkdir(dirname(file));
    await writeFile(file, 'first\nha');
    await rm(w.file);
    await using shipper = await startHelper('kolla-log-ship', [...w.args, '--grace', '500ms'], { keepOutput: true });
    const said = listener(shipper.child.stderr!);
    await until('the first line in the checkpoint', async () =>
      (await readFile(w.checkpoint, 'utf8').catch(() => '')).includes('"offset":6') ? true : undefined,
    );
    await rm(w.checkpoint);
    await mkdir(w.checkpoint);
    await writeFile(join(w.checkpoint, 'x'), '');
    if (isKnown) {
      await writeFile(join(dirname(file), 'other.log'), 'second\n');
      await said('cannot write');
    }
    shipper.child.kill('SIGTERM');
    assert.equal(await shipper.ended, 143);
    await rm(w.checkpoint, { recursive: true });
    await appendFile(file, 'lf\n');
    const { code, stderr } = await runHelper('kolla-log-ship', [...w.args, '--once']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(new Set(w.payloads), new Set(['first', 'half', ...(isKnown ? ['second'] : [])]));
  });
}
