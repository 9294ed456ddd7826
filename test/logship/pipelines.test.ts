import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignalError } from '../../src/core/errors.ts';
import type { Values } from '../../src/cli/option.ts';
import { resolveOptions, splitWords } from '../../src/cli/parse.ts';
import { holdDirectory } from '../../src/logship/state/held-directory.ts';
import { Holes } from '../../src/logship/state/holes.ts';
import { settingsOf, SHIP_OPTIONS } from '../../src/logship/index.ts';
import { openPipelines, runAll } from '../../src/logship/pipelines.ts';
import { Lags, readinessOf } from '../../src/logship/serve/index.ts';
import type { PipelineState } from '../../src/logship/report/view.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bulkServer } from './send/bulk-server.ts';
import { log } from './read/reading.ts';
import { allCreated } from '../support/bulk-reply.ts';

async function logs() {
  const directory = await privateDirectory('ship');
  const file = join(directory.path, 'keystone/keystone.log');
  await mkdir(join(directory.path, 'keystone'));
  return {
    root: directory.path,
    file,
    state: join(directory.path, '.kolla-log-ship'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Starts the pipelines in this process. `stop` acts like SIGTERM. */
async function shipping(root: string, ...args: string[]) {
  const words = splitWords(['--root', root, '--timezone', 'UTC', ...args], SHIP_OPTIONS, false);
  const options = resolveOptions(SHIP_OPTIONS, words, {}, undefined) as Values<typeof SHIP_OPTIONS>;
  const stop = new AbortController();
  const said: string[] = [];
  const stdout = new PassThrough();
  const settings = settingsOf([], options);
  const state = holdDirectory(settings.stateDir, settings.root);
  const holes = new Holes(state, []);
  const context = { log: log(said), now: () => Date.now(), state, holes, proxyEnv: {}, stdout };
  const pipelines = await openPipelines(settings, context);
  const ended = runAll(pipelines, stop.signal);
  ended.catch(() => {}); // handled when awaited
  return {
    states: () => pipelines.map((pipeline) => pipeline.state()),
    ended,
    said,
    stdout,
    stop: () => stop.abort(new SignalError('SIGTERM')),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await ended.catch(() => {});
      state[Symbol.dispose]();
    },
  };
}

const MIB = 2 ** 20;
const line = (n: number) => `2026-11-20 08:15:42.123 7 INFO keystone.server [-] line ${n} ${'x'.repeat(300)}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
const soon = <T>(what: string, ask: () => T | undefined) => until(what, () => Promise.resolve(ask()));

const bytesRead = ({ fileStates }: PipelineState) => fileStates().reduce((sum, { bytes }) => sum + bytes, 0);

/** Resolves when a value was the same in this many polls. Between polls all work that is ready runs. */
async function stillFor(looks: number, ask: () => number): Promise<void> {
  for (let [same, last] = [0, ask()]; same < looks;) {
    await sleep(100);
    same = ask() === last ? same + 1 : 0;
    last = ask();
  }
}

test('an unavailable destination does not block others, and is reported separately', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 100));
  await using es = await bulkServer();
  const down = await freePort();
  const to = ['--to', `elasticsearch=${es.url.href}`, '--to', `opensearch=http://127.0.0.1:${down}`];
  await using s = await shipping(l.root, ...to, '--grace', '100ms');
  await soon('everything to be indexed', () => (es.taken.length === 100 && s.states()[0]?.lagBytes === 0) || undefined);
  const held = await soon('the other to be held', () => s.states()[1]?.outage);
  assert.match(held.reason, /ECONNREFUSED/);
  const [first, second] = s.states();
  assert.deepEqual([first?.outage === undefined, second?.outage === undefined], [true, false]);
  assert.ok((second?.lagBytes ?? 0) > 0);
  s.stop();
  await assert.rejects(s.ended, /SIGTERM/);
  await using os = await bulkServer({}, down);
  await using again = await shipping(l.root, ...to, '--once');
  assert.equal(await again.ended, 0);
  assert.equal(os.taken.length, 100);
  assert.deepEqual(es.requests.flat().length, 100, 'the first got no duplicate requests');
});

/** The readiness after ten minutes without a change. */
function readyInTenMinutes(states: () => readonly PipelineState[]) {
  using lags = new Lags(states);
  const [nowMs, thenMs] = [0, 600_000];
  lags.look(nowMs);
  lags.look(thenMs);
  return states().map((state) => readinessOf(state, lags.quiet(state.name, thenMs), Date.now()));
}

test('an unterminated last line makes no destination unready; a destination without a response is unready', async () => {
  await using l = await logs();
  await writeFile(l.file, `${line(1)}${line(2).slice(0, 60)}`);
  await using es = await bulkServer();
  let asked = 0;
  await using mute = await listenHttp(() => asked++);
  const to = ['--to', `elasticsearch=${es.url.href}`, '--to', `opensearch=http://127.0.0.1:${mute.port}`];
  await using s = await shipping(l.root, ...to, '--grace', '100ms');
  await soon('the line to be indexed, and the other to be in flight', () => {
    return (s.states()[0]?.counts.acknowledged === 1 && asked > 0) || undefined;
  });
  const [taking, silent] = readyInTenMinutes(s.states);
  assert.equal(taking?.isReady, true, taking?.reason);
  assert.equal(silent?.isReady, false);
  assert.match(silent.reason, /^has acknowledged nothing for 10m; /);
});

test('destinations given in another order each resume at their own offset', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 10));
  await using es = await bulkServer();
  await using os = await bulkServer();
  const [a, b] = [`elasticsearch=${es.url.href}`, `opensearch=${os.url.href}`];
  await (
    await shipping(l.root, '--to', a, '--once')
  ).ended;
  await appendFile(l.file, lines(10, 20));
  await (
    await shipping(l.root, '--to', b, '--to', a, '--once')
  ).ended;
  assert.deepEqual([es.taken.length, os.taken.length], [20, 20]);
  await appendFile(l.file, lines(20, 30));
  await (
    await shipping(l.root, '--to', a, '--to', b, '--once')
  ).ended;
  assert.deepEqual([es.taken.length, os.taken.length], [30, 30]);
  assert.deepEqual([es.requests.flat().length, os.requests.flat().length], [30, 30], 'and nothing was requested twice');
});

test('printing existing lines does not affect delivery to the server', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 10));
  await using es = await bulkServer();
  await (
    await shipping(l.root, '--url', es.url.href, '--once')
  ).ended;
  await appendFile(l.file, lines(10, 20));
  await using look = await shipping(l.root, '--once');
  const printed = text(look.stdout);
  await look.ended;
  look.stdout.end();
  assert.equal((await printed).trimEnd().split('\n').length, 20);
  await (
    await shipping(l.root, '--url', es.url.href, '--once')
  ).ended;
  assert.deepEqual([es.taken.length, es.requests.flat().length], [20, 20]);
});

test('a server that replaces another gets the lines from the offset of the replaced one on', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 10));
  await using old = await bulkServer();
  await using next = await bulkServer();
  await (
    await shipping(l.root, '--url', old.url.href, '--once')
  ).ended;
  await appendFile(l.file, lines(10, 20));
  await (
    await shipping(l.root, '--url', next.url.href, '--once')
  ).ended;
  assert.deepEqual([old.taken.length, next.taken.length], [10, 10]);
});

test('with a stalled server reading stops, rotations are still noticed, and later every line is indexed once', async () => {
  await using l = await logs();
  const held: (() => void)[] = [];
  let isStalled = true;
  const ids: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    for (const [, id = ''] of body.matchAll(/"_id":"([^"]+)"/g)) ids.push(id);
    const accept = () => void response.end(allCreated(body));
    if (isStalled) held.push(accept);
    else accept();
  };
  await using server = await listenHttp((request, response) => void answer(request, response));
  const budget = 8 * MIB;
  await writeFile(l.file, lines(0, 40_000));
  const args = ['--url', `http://127.0.0.1:${server.port}`, '--in-flight-bytes', String(budget)];
  await using s = await shipping(l.root, ...args);
  const state = () => s.states()[0]!;
  const read = () => bytesRead(state());
  await soon('two requests to be in flight', () => held.length === 2 || undefined);
  await stillFor(3, read);
  const readBytes = read();
  assert.ok(state().memoryBytes < budget, String(state().memoryBytes));
  assert.ok(readBytes < 40_000 * line(0).length);
  let there = lines(0, 40_000).length;
  for (const n of [1, 2, 3]) {
    await rename(l.file, `${l.file}.${n}`);
    const more = lines(n * 100_000, n * 100_000 + 100);
    there += more.length;
    await writeFile(l.file, more);
    await soon('the new file to be held open too', () => state().lagBytes === there || undefined);
  }
  assert.equal(read(), readBytes, 'nothing was read meanwhile');
  isStalled = false;
  for (const accept of held) accept();
  await soon(
    'everything to be indexed',
    () => (state().lagBytes === 0 && state().counts.acknowledged >= 40_300) || undefined,
  );
  s.stop();
  assert.equal(await s.ended, 0);
  assert.equal(new Set(ids).size, 40_300);
});

test('documents that wait separately fill at most their part of memory, and are all indexed once accepted', async () => {
  await using l = await logs();
  let isClosed = true;
  const closed = { status: 400, error: { type: 'index_closed_exception', reason: 'closed' } };
  let documents = 0;
  await using server = await bulkServer({ document: () => (isClosed && documents++ % 10 > 0 ? closed : 201) });
  const budget = 4 * MIB;
  await writeFile(l.file, lines(0, 30_000));
  await using s = await shipping(l.root, '--url', server.url.href, '--in-flight-bytes', String(budget));
  const state = () => s.states()[0]!;
  await soon('their part to be full', () => s.said.find((each) => each.includes('fill their part of memory')));
  await stillFor(3, () => bytesRead(state()));
  // One chunk is read before that is checked again.
  assert.ok(state().memoryBytes < budget + MIB, String(state().memoryBytes));
  assert.ok(bytesRead(state()) < 30_000 * line(0).length);
  assert.equal(state().counts.rejected, 0);
  isClosed = false;
  await soon('everything to be indexed', () => server.taken.length >= 29_999 || undefined);
  s.stop();
  assert.equal(await s.ended, 0);
  assert.equal(server.taken.length, 30_000);
});

test('shutdown with a blocked stdout ends after the grace period, and the rest is read again on the next start', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 2000));
  await using s = await shipping(l.root, '--grace', '100ms');
  await soon('the pipe to be full', () => s.stdout.writableNeedDrain || undefined);
  s.stop();
  await assert.rejects(s.ended, /SIGTERM/);
  await using again = await shipping(l.root, '--once');
  const printed = text(again.stdout);
  assert.equal(await again.ended, 0);
  again.stdout.end();
  assert.equal((await printed).trimEnd().split('\n').length, 2000);
});

test('an unterminated last line is printed on shutdown, and not again on the next start', async () => {
  await using l = await logs();
  await writeFile(l.file, `${line(1)}2026-11-20 08:15:43.000 7 INFO keystone.server [-] half`);
  await using first = await shipping(l.root);
  first.stop();
  const printed = text(first.stdout);
  assert.equal(await first.ended, 0);
  first.stdout.end();
  await appendFile(l.file, ' and the rest\n');
  await using second = await shipping(l.root, '--once');
  const rest = text(second.stdout);
  await second.ended;
  second.stdout.end();
  assert.match(await printed, /half"/);
  assert.doesNotMatch(await rest, /half/);
  assert.match(await rest, /and the rest/);
});

test('a permanent failure of one destination stops the others after they have shipped existing lines', async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 100));
  await using es = await bulkServer();
  await using s = await shipping(l.root, '--to', 'stdout', '--to', `elasticsearch=${es.url.href}`);
  s.stdout.destroy(Object.assign(new Error('broken'), { code: 'EPIPE' }));
  s.stdout.on('error', () => {});
  await assert.rejects(s.ended, /cannot write to stdout/);
  assert.equal(es.taken.length, 100);
});

test("the first destination's checkpoint has the name that a probe reads; the others are named after their destination", async () => {
  await using l = await logs();
  await writeFile(l.file, lines(0, 1));
  await using es = await bulkServer();
  await using s = await shipping(l.root, '--to', `elasticsearch=${es.url.href}`, '--to', 'stdout', '--once');
  s.stdout.resume();
  await s.ended;
  const marks = await Promise.all(
    ['checkpoint.json', 'checkpoint-stdout.json'].map(async (name) => {
      const { files } = JSON.parse(await readFile(join(l.state, name), 'utf8')) as {
        files: { mark: { offset: number } }[];
      };
      return files[0]?.mark.offset;
    }),
  );
  assert.deepEqual(marks, [line(0).length, line(0).length]);
});
