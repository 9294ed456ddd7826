import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeadlineError, SignalError, UnavailableError } from '../../src/cli/errors.ts';
import { parseDependency, waitForAll } from '../../src/depend/index.ts';
import type { KubeClient, KubeObject, ObjectRef, Observation, WatchOptions } from '../../src/platform/kube/types.ts';
import { onlyWatching } from '../platform/kube/support.ts';
import { logLines } from '../support/helper.ts';
import { freePort } from '../support/port.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { listenHttp, listenTcp } from '../support/server.ts';

interface Options {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly kube?: () => Promise<KubeClient>;
  readonly onLine?: (line: string) => void;
}

function wait(texts: readonly string[], options: Options = {}) {
  const { log, said } = recordedLog('info', options.onLine);
  const done = waitForAll(
    texts.map(parseDependency),
    { timeoutMs: options.timeoutMs ?? 60_000, onFailedJob: 'fail', caFile: undefined },
    {
      signal: options.signal ?? new AbortController().signal,
      log,
      kube: options.kube ?? (() => Promise.reject(new Error('no API server is needed here'))),
    },
  );
  return { done, messages: () => logLines(said()).map(({ msg }) => msg) };
}

test('a server that comes later is waited for, and every change is one line', async () => {
  const port = await freePort();
  await using servers = new AsyncDisposableStack();
  const { done, messages } = wait([`tcp://127.0.0.1:${port}`], {
    onLine: (line) => {
      if (line.includes('ECONNREFUSED'))
        void listenTcp(() => {}, '127.0.0.1', port).then((server) => servers.use(server));
    },
  });
  await done;
  const [began, refused, met, ...more] = messages();
  assert.equal(began, `waiting for tcp://127.0.0.1:${port}`);
  assert.equal(refused, `tcp://127.0.0.1:${port}: ECONNREFUSED`);
  assert.match(met ?? '', /: met after .*: accepts connections$/);
  assert.deepEqual(more, []);
});

test('an http dependency is met by a status below 400 and not before', async () => {
  let requests = 0;
  await using server = await listenHttp((_, response) => {
    response.writeHead(++requests < 3 ? 503 : 300).end();
  });
  const { done, messages } = wait([`http://127.0.0.1:${server.port}/`]);
  await done;
  assert.equal(requests, 3);
  assert.ok(messages().some((message) => message.endsWith(': status 503')));
  assert.match(messages().at(-1) ?? '', /met after .*: status 300$/);
});

test('the deadline names every open dependency, what was last seen, and what to run next', async () => {
  await using met = await listenTcp(() => {});
  const [first, second] = [await freePort(), await freePort()];
  const { done } = wait([`tcp://127.0.0.1:${met.port}`, `tcp://127.0.0.1:${first}`, `http://127.0.0.1:${second}/`], {
    timeoutMs: 400,
  });
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof DeadlineError);
    assert.match(error.message, /^not met in 400ms: tcp:\S+ \(ECONNREFUSED, for \d+ms; next: kubectl \S+/);
    assert.ok(error.message.includes(`http://127.0.0.1:${second}/`));
    assert.ok(!error.message.includes(`:${met.port}`));
    return true;
  });
});

test('SIGTERM ends a wait at once', async () => {
  const stop = new AbortController();
  const { done } = wait([`tcp://127.0.0.1:${await freePort()}`], {
    signal: stop.signal,
    onLine: (line) => {
      if (line.includes('ECONNREFUSED')) stop.abort(new SignalError('SIGTERM'));
    },
  });
  await assert.rejects(done, SignalError);
});

test('the first that never will be met ends the wait for all', async () => {
  const kube = () => Promise.reject(new UnavailableError('no way'));
  const { done } = wait([`tcp://127.0.0.1:${await freePort()}`, 'job/sync'], { kube });
  await assert.rejects(done, /no way/);
});

test('what two waiters warn of alike is said once', async () => {
  const client = onlyWatching(async function* <T extends KubeObject>(
    _: ObjectRef,
    { warn }: WatchOptions,
  ): AsyncGenerator<Observation<T>> {
    warn('may not watch');
    const metadata = { name: 'sync' };
    const object: KubeObject & Record<string, unknown> = {
      metadata,
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    };
    yield { kind: 'object', object: object as unknown as T };
  });
  const { done, messages } = wait(['job/a', 'job/b'], { kube: () => Promise.resolve(client) });
  await done;
  assert.equal(messages().filter((message) => message === 'may not watch').length, 1);
});
