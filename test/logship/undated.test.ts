import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { allCreated } from '../support/bulk-reply.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const indexOf = (ms: number) => `flog-${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '.')}`;

interface Sent {
  readonly index: string;
  readonly id: string;
  readonly payload: string;
  readonly timeMs: number;
}

/** The log file of a program without times, and a server that records each bulk request. */
async function world() {
  const directory = await privateDirectory('undated');
  const file = join(directory.path, 'horizon/dnsmasq.log');
  await mkdir(join(directory.path, 'horizon'));
  const sent: Sent[] = [];
  const taken: ServerResponse[] = [];
  let answers = true;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const lines = body.split('\n').filter((line) => line !== '');
    for (const [at, line] of lines.entries()) {
      const { create } = JSON.parse(line) as { create?: { _index: string; _id: string } };
      if (create === undefined) continue;
      const { '@timestamp': time, Payload: payload } = JSON.parse(lines[at + 1]!) as Record<string, string>;
      sent.push({ index: create._index, id: create._id, payload: payload!, timeMs: Date.parse(time!) });
    }
    if (answers) response.end(allCreated(body));
    else taken.push(response);
  };
  const server = await listenHttp((request, response) => void take(request, response));
  return {
    file,
    sent,
    args: ['--root', directory.path, '--url', `http://127.0.0.1:${server.port}`],
    checkpoint: join(directory.path, '.kolla-log-ship/checkpoint.json'),
    /** Whether requests are answered. */
    set answers(value: boolean) {
      answers = value;
    },
    of: async (payload: string, count = 1) =>
      await until(`${payload} to be sent`, () => {
        const found = sent.filter((each) => each.payload === payload);
        return Promise.resolve(found.length < count ? undefined : found.at(-1)!);
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('a line without a time has the time at which it was read, not that at which its file was found', async () => {
  await using w = await world();
  await writeFile(w.file, 'first\n');
  await using _ = await startHelper('kolla-log-ship', w.args);
  const first = await w.of('first');
  const beforeMs = Date.now();
  assert.ok(first.timeMs <= beforeMs);
  await appendFile(w.file, 'second\n');
  const second = await w.of('second');
  assert.ok(second.timeMs >= beforeMs, `${second.timeMs} >= ${beforeMs}`);
});

test('a line that is sent again on another day goes to the index that it was sent to before, under its id', async () => {
  await using w = await world();
  await writeFile(w.file, 'first\n');
  w.answers = false;
  await using shipper = await startHelper('kolla-log-ship', w.args);
  const { index, id, timeMs } = await w.of('first');
  assert.equal(index, indexOf(timeMs));
  process.kill(shipper.pid, 'SIGKILL');
  await shipper.ended;
  // As if all this had been yesterday.
  const saved = JSON.parse(await readFile(w.checkpoint, 'utf8')) as { files: { undated: { timeMs: number }[] }[] };
  const [entry] = saved.files[0]!.undated;
  entry!.timeMs -= DAY_MS;
  await writeFile(w.checkpoint, JSON.stringify(saved));
  w.answers = true;
  await using _ = await startHelper('kolla-log-ship', w.args);
  const again = await w.of('first', 2);
  assert.deepEqual([again.index, again.id], [indexOf(entry!.timeMs), id]);
  const beforeMs = Date.now();
  await appendFile(w.file, 'second\n');
  const second = await w.of('second');
  assert.ok(second.timeMs >= beforeMs);
  assert.equal(second.index, indexOf(second.timeMs));
});

test('the checkpoint of an earlier version gives a line the time that it had', async () => {
  await using w = await world();
  await writeFile(w.file, 'first\nsecond\n');
  assert.equal((await runHelper('kolla-log-ship', [...w.args, '--once'])).code, 0);
  const saved = JSON.parse(await readFile(w.checkpoint, 'utf8')) as {
    files: { undated?: unknown; mark: { offset: number; timeMs: number } }[];
  };
  const [file] = saved.files;
  delete file!.undated;
  file!.mark.offset = 'first\n'.length;
  file!.mark.timeMs -= 3 * DAY_MS;
  await writeFile(w.checkpoint, JSON.stringify(saved));
  assert.equal((await runHelper('kolla-log-ship', [...w.args, '--once'])).code, 0);
  assert.equal((await w.of('second', 2)).timeMs, file!.mark.timeMs);
});
