import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testOnNode } from '../cluster/kube-on-core.ts';
import { FAST, events, eventsThenEnd, job, kinds, line, observe, scriptedApi, status } from './support.ts';

const upTo = (n: number) => (seen: readonly unknown[]) => seen.length === n;

test('a watch by name requests bookmarks and a random timeout, and needs no list', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))));
  using client = await api.client();
  const { seen } = await observe(client, upTo(1));
  assert.deepEqual(kinds(seen), ['object 7']);
  const { pathname, searchParams } = api.requests[0]!.url;
  assert.equal(pathname, '/apis/batch/v1/namespaces/ns/jobs');
  assert.equal(searchParams.get('fieldSelector'), 'metadata.name=sync');
  assert.equal(searchParams.get('allowWatchBookmarks'), 'true');
  assert.equal(searchParams.get('resourceVersion'), null);
  const seconds = Number(searchParams.get('timeoutSeconds'));
  assert.ok(seconds >= 300 && seconds <= 600);
});

test('a missing object is absent, and detected when it is created', async () => {
  let create = () => {};
  await using api = await scriptedApi((request, response) => {
    events()(request, response);
    create = () => void response.write(line('ADDED', job('7')));
  });
  using client = await api.client({ ...FAST, absentMs: 100 });
  const { seen } = await observe(client, ({ length }) => {
    create();
    return length === 2;
  });
  assert.deepEqual(kinds(seen), ['absent', 'object 7']);
});

test('a bookmark before any event means absent, without waiting', async () => {
  const bookmark = line('BOOKMARK', { metadata: { resourceVersion: '5' } });
  await using api = await scriptedApi(events(bookmark, line('ADDED', job('7'))));
  using client = await api.client({ ...FAST, absentMs: 60_000 });
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(kinds(seen), ['absent', 'object 7']);
});

test('after the server ends a watch, the watch resumes from the last bookmark', async () => {
  await using api = await scriptedApi(
    eventsThenEnd(line('ADDED', job('7')), line('BOOKMARK', { metadata: { resourceVersion: '90' } })),
    events(line('MODIFIED', job('91'))),
  );
  using client = await api.client();
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(kinds(seen), ['object 7', 'object 91']);
  assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), '90');
});

for (const [name, handler] of [
  ['an ERROR event', eventsThenEnd(line('ERROR', { kind: 'Status', code: 410, message: 'too old' }))],
  ['a status', status(410, 'too old')],
] as const) {
  test(`410 as ${name} restarts with the current objects`, async () => {
    await using api = await scriptedApi(
      eventsThenEnd(line('ADDED', job('7'))),
      handler,
      events(line('ADDED', job('100'))),
    );
    using client = await api.client();
    const { seen } = await observe(client, upTo(2));
    assert.deepEqual(kinds(seen), ['object 7', 'object 100']);
    assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), '7');
    assert.equal(api.requests[2]!.url.searchParams.get('resourceVersion'), null);
  });
}

test('a silent connection is replaced without a warning', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))), events(line('MODIFIED', job('8'))));
  using client = await api.client({ ...FAST, idleMs: 200 });
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(kinds(seen), ['object 7', 'object 8']);
  assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), '7');
  assert.equal(api.connections(), 2);
});

test('after two silent connections in a row the watch starts over, because etcd may have been restored', async () => {
  const silent = events();
  await using api = await scriptedApi(events(line('ADDED', job('7'))), silent, events(line('ADDED', job('5'))));
  using client = await api.client({ ...FAST, idleMs: 200 });
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(kinds(seen), ['object 7', 'object 5']);
  const versions = api.requests.map(({ url }) => url.searchParams.get('resourceVersion'));
  assert.deepEqual(versions, [null, '7', null]);
});

// Changes the times of a running client.
testOnNode('a server that is silent, and then does not respond to a new watch, is reported', async () => {
  let isSilent = true;
  await using api = await scriptedApi(events(line('ADDED', job('7'))), (request, response) => {
    if (!isSilent) events(line('MODIFIED', job('8')))(request, response);
  });
  // Short for the new watch alone, so that no other request reaches it on a busy machine.
  const timing = { ...FAST, idleMs: 200 };
  using client = await api.client(timing);
  const { seen } = await observe(client, ({ length }) => {
    isSilent = length === 1;
    timing.answerMs = isSilent ? 100 : FAST.answerMs;
    return length === 4;
  });
  assert.deepEqual(kinds(seen), ['object 7', 'trouble', 'connected', 'object 8']);
  assert.equal((seen[1] as { reason: string }).reason, 'no response in 0.1 s');
});

test('a connection broken in the middle of an event loses nothing', async () => {
  const whole = line('MODIFIED', job('8'));
  await using api = await scriptedApi((request, response) => {
    events(line('ADDED', job('7')), whole.slice(0, 20))(request, response);
    setTimeout(() => response.destroy(), 50);
  }, events(whole));
  using client = await api.client();
  const { seen } = await observe(client, upTo(4));
  assert.deepEqual(kinds(seen), ['object 7', 'trouble', 'connected', 'object 8']);
  assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), '7');
});

test('an event in chunks of one byte, with multi-byte characters, is read whole', async () => {
  const bytes = Buffer.from(line('ADDED', job('7', { message: 'žluťoučký 🐎' })) + line('MODIFIED', job('8')));
  await using api = await scriptedApi((request, response) => {
    events()(request, response);
    const send = (at: number) => {
      response.write(bytes.subarray(at, at + 1));
      if (at + 1 < bytes.length) setImmediate(send, at + 1);
    };
    send(0);
  });
  using client = await api.client({ ...FAST, absentMs: 60_000 });
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(kinds(seen), ['object 7', 'object 8']);
  const [first] = seen;
  assert.deepEqual(first?.kind === 'object' && (first.object as unknown as { status: object }).status, {
    message: 'žluťoučký 🐎',
  });
});

test('a line that is not JSON is reported as trouble, and does not end the watch', async () => {
  await using api = await scriptedApi(eventsThenEnd('<html>\n'), events(line('ADDED', job('7'))));
  using client = await api.client();
  assert.deepEqual(kinds((await observe(client, upTo(3))).seen), ['trouble', 'connected', 'object 7']);
});

for (const [text, said] of [
  ['null', 'null'],
  ['["ADDED"]', 'a list'],
  ['"hunter2"', 'a string'],
  ['{"kind":"Secret","data":"hunter2"}', 'an object that is not an event'],
  ['{"type":"ADDED","object":null}', 'an event ADDED without an object'],
  ['{"type":"BOOKMARK","object":{"kind":"Job"}}', 'an event BOOKMARK without an object'],
] as const)
  test(`${text} in place of an event is reported by name, after the events before it`, async () => {
    await using api = await scriptedApi(
      eventsThenEnd(line('ADDED', job('7')), `${text}\n`),
      events(line('MODIFIED', job('8'))),
    );
    using client = await api.client();
    const { seen } = await observe(client, upTo(4));
    assert.deepEqual(kinds(seen), ['object 7', 'trouble', 'connected', 'object 8']);
    assert.equal((seen[1] as { reason: string }).reason, `${said} received instead of a watch event`);
  });

test("on overload the watch is retried after the server's Retry-After", async () => {
  await using api = await scriptedApi(
    status(429, 'slow down', { 'retry-after': '1' }),
    events(line('ADDED', job('7'))),
  );
  using client = await api.client();
  const began = performance.now();
  const { seen } = await observe(client, upTo(3));
  assert.deepEqual(kinds(seen), ['trouble', 'connected', 'object 7']);
  assert.ok(performance.now() - began >= 1000);
});

test('a failing server is reported as trouble, with its reason, until it serves the watch', async () => {
  await using api = await scriptedApi(status(500, 'etcd is down'), status(503), events(line('ADDED', job('7'))));
  using client = await api.client();
  const { seen } = await observe(client, upTo(4));
  assert.deepEqual(kinds(seen), ['trouble', 'trouble', 'connected', 'object 7']);
  assert.equal((seen[0] as { reason: string }).reason, 'etcd is down');
});

test('an error thrown by a handler reaches its caller, and the connection is closed', async () => {
  let closed: Promise<void> | undefined;
  await using api = await scriptedApi((request, response) => {
    closed = new Promise((resolve) => void response.once('close', resolve));
    events(line('ADDED', job('7')))(request, response);
  });
  using client = await api.client();
  const boom = observe(client, () => {
    throw new Error('boom');
  });
  await assert.rejects(boom, /boom/);
  await closed;
});

test('an aborted signal ends a quiet watch with its own reason', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))));
  using client = await api.client({ ...FAST, idleMs: 60_000 });
  const controller = new AbortController();
  const reason = new Error('enough');
  const watching = observe(client, () => (setImmediate(() => controller.abort(reason)), false), controller.signal);
  await assert.rejects(watching, (error) => error === reason);
});

test('an aborted signal ends a wait between two attempts', async () => {
  await using api = await scriptedApi(status(500));
  using client = await api.client({ ...FAST, backoff: { minMs: 60_000, maxMs: 60_000 } });
  const controller = new AbortController();
  const reason = new Error('enough');
  const watching = observe(client, () => (setImmediate(() => controller.abort(reason)), false), controller.signal);
  await assert.rejects(watching, (error) => error === reason);
});

test('a deletion has the last known state', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7')), line('DELETED', job('9', { done: true }))));
  using client = await api.client();
  const { seen } = await observe(client, upTo(2));
  assert.deepEqual(seen[1], { kind: 'deleted', object: job('9', { done: true }) });
});

test('fifty reconnections use a handful of connections', async () => {
  await using api = await scriptedApi(eventsThenEnd(line('ADDED', job('7'))));
  using client = await api.client();
  await observe(client, upTo(50));
  assert.equal(api.requests.length, 50);
  assert.ok(api.connections() <= 3, `${api.connections()} connections`);
});

test('the namespace is trimmed when read from the mounted file', async () => {
  await using api = await scriptedApi(events());
  using client = await api.client();
  assert.equal(client.namespace, 'own');
});

test('the kernel sends keepalives on a quiet connection within ten seconds', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))));
  using client = await api.client({ ...FAST, idleMs: 60_000 });
  const port = Number(new URL(api.url).port).toString(16).toUpperCase().padStart(4, '0');
  const timers: string[][] = [];
  await observe(client, () => {
    const ours = readFileSync('/proc/self/net/tcp', 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/));
    timers.push(
      ...ours.filter((row) => row[2] === `0100007F:${port}` && row[3] === '01').map((row) => row[5]!.split(':')),
    );
    return true;
  });
  // 02 is the keepalive timer, in hundredths of a second.
  const [[kind, when] = []] = timers;
  assert.equal(kind, '02');
  assert.ok(Number.parseInt(when ?? '', 16) <= 1000, `${when} (hexadecimal) hundredths of a second`);
});
