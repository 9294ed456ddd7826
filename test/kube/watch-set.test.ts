import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testOnNode } from '../cluster/kube-on-core.ts';
import { loadAll } from 'js-yaml';
import { NotPermittedError } from '../../src/core/errors.ts';
import type { KubeClient, KubeObject, SetObservation, SetRef } from '../../src/kube/index.ts';
import { until } from '../support/until.ts';
import { FAST, events, eventsThenEnd, forbidden, line, scriptedApi, status, type Handler } from './support.ts';

const PODS: SetRef = { group: '', version: 'v1', resource: 'pods', namespace: 'ns', labelSelector: 'app=x' };

const pod = (name: string, resourceVersion = '1', namespace = 'ns') => ({
  metadata: { name, namespace, resourceVersion },
});
const bookmark = (resourceVersion: string) => line('BOOKMARK', { metadata: { resourceVersion } });
const list =
  (items: readonly object[], metadata: object = { resourceVersion: '50' }): Handler =>
  (_, response) =>
    void response.end(JSON.stringify({ metadata, items }));

/** The first `count` observations, and the warnings. */
async function observe(
  client: KubeClient,
  count: number,
  ref: SetRef = PODS,
): Promise<{ seen: SetObservation<KubeObject>[]; said: string[]; warnings: string[] }> {
  const seen: SetObservation<KubeObject>[] = [];
  const warnings: string[] = [];
  const { signal } = new AbortController();
  for await (const observation of client.watchSet(ref, { signal, warn: (message) => warnings.push(message) }))
    if (seen.push(observation) === count) break;
  return { seen, said: seen.map((o) => (o.kind === 'set' ? [...o.objects.keys()].join(' ') : o.kind)), warnings };
}

test('existing objects are reported as one set after the bookmark, without a list request', async () => {
  await using api = await scriptedApi((request, response) => {
    events(line('ADDED', pod('a')), line('ADDED', pod('b')))(request, response);
    setTimeout(() => response.write(bookmark('9') + line('ADDED', pod('c'))), 20);
  });
  using client = await api.client();
  assert.deepEqual((await observe(client, 1)).said, ['a b c']);
  const [{ url } = assert.fail()] = api.requests;
  assert.equal(url.pathname, '/api/v1/namespaces/ns/pods');
  assert.equal(url.searchParams.get('watch'), 'true');
  assert.equal(url.searchParams.get('labelSelector'), 'app=x');
});

test('a server without an initial-events bookmark is listed at first and after a 410', async () => {
  await using api = await scriptedApi(
    events(line('ADDED', pod('a'))),
    list([pod('a'), pod('b')]),
    eventsThenEnd(line('DELETED', pod('a', '51'))),
    status(410, 'too old'),
    list([pod('c')]),
    events(),
  );
  using client = await api.client({ ...FAST, absentMs: 100 });
  assert.deepEqual((await observe(client, 3)).said, ['a b', 'b', 'c']);
  const asked = api.requests.map(({ url: { searchParams: q } }) => [
    q.get('watch') ?? 'list',
    q.get('resourceVersion'),
  ]);
  assert.deepEqual(asked, [
    ['true', null],
    ['list', null],
    ['true', '50'],
    ['true', '51'],
    ['list', null],
  ]);
});

test('the last state of an object is reported even if its deletion was received with it', async () => {
  let send: (text: string) => void = () => {};
  await using api = await scriptedApi((request, response) => {
    events(line('ADDED', pod('a')) + bookmark('1'))(request, response);
    send = (text) => void response.write(text);
  });
  using client = await api.client();
  const seen: unknown[] = [];
  const { signal } = new AbortController();
  for await (const one of client.watchSet(PODS, { signal, warn: () => {} })) {
    if (one.kind === 'set') seen.push([...one.objects.values()].map(({ metadata }) => metadata.resourceVersion));
    if (seen.length === 1) send(line('MODIFIED', pod('a', '2')) + line('DELETED', pod('a', '3')));
    if (seen.length === 2) send(line('ADDED', pod('b', '4')));
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, [['1'], ['2'], []]);
});

test('a set that changes all the time is listed too', { timeout: 60_000 }, async () => {
  const busy: Handler = (request, response) => {
    events(line('ADDED', pod('a')))(request, response);
    const changes = setInterval(() => response.write(line('MODIFIED', pod('a'))), 10);
    response.once('close', () => clearInterval(changes));
  };
  await using api = await scriptedApi(busy, list([pod('a'), pod('b')]), events());
  using client = await api.client({ ...FAST, idleMs: 60_000, absentMs: 500 });
  assert.deepEqual((await observe(client, 1)).said, ['a b']);
});

test('after a watch has ended it resumes from its last version, and reports only changes', async () => {
  await using api = await scriptedApi(
    eventsThenEnd(line('ADDED', pod('a')), bookmark('9')),
    events(line('ADDED', pod('b', '10'))),
  );
  using client = await api.client();
  assert.deepEqual((await observe(client, 2)).said, ['a', 'a b']);
  assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), '9');
});

test('a connection that ends during the initial events starts over', async () => {
  await using api = await scriptedApi(
    eventsThenEnd(line('ADDED', pod('a', '30'))),
    events(line('ADDED', pod('a', '30')), line('ADDED', pod('b', '20')), bookmark('31')),
  );
  using client = await api.client();
  assert.deepEqual((await observe(client, 1)).said, ['a b']);
  assert.equal(api.requests[1]!.url.searchParams.get('resourceVersion'), null);
});

test('objects deleted during an outage are gone after a 410', async () => {
  await using api = await scriptedApi(
    eventsThenEnd(line('ADDED', pod('a')), line('ADDED', pod('b')), bookmark('9')),
    eventsThenEnd(line('ERROR', { kind: 'Status', code: 410 })),
    events(line('ADDED', pod('b')), bookmark('90')),
  );
  using client = await api.client();
  assert.deepEqual((await observe(client, 2)).said, ['a b', 'b']);
});

test('a large list is paginated', async () => {
  await using api = await scriptedApi(
    events(line('ADDED', pod('a'))),
    list([pod('a')], { resourceVersion: '50', continue: 'more' }),
    list([pod('b')], { resourceVersion: '50' }),
    events(),
  );
  using client = await api.client({ ...FAST, absentMs: 100 });
  assert.deepEqual((await observe(client, 1)).said, ['a b']);
  assert.equal(api.requests[2]!.url.searchParams.get('continue'), 'more');
});

test('only the requested names are kept', async () => {
  await using api = await scriptedApi(events(line('ADDED', pod('a')), line('ADDED', pod('b')), bookmark('9')));
  using client = await api.client();
  assert.deepEqual((await observe(client, 1, { ...PODS, names: ['b', 'c'] })).said, ['b']);
});

test('objects of different namespaces are distinguished', async () => {
  await using api = await scriptedApi(
    events(line('ADDED', pod('a', '1', 'x')), line('ADDED', pod('a', '2', 'y')), bookmark('9')),
  );
  using client = await api.client();
  const { namespace: _, ...everywhere } = PODS;
  assert.deepEqual((await observe(client, 1, everywhere)).said, ['x/a y/a']);
  assert.equal(api.requests[0]!.url.pathname, '/api/v1/pods');
});

test('a silent connection is replaced, and the set is not reported again', async () => {
  await using api = await scriptedApi(
    events(line('ADDED', pod('a')), bookmark('9')),
    events(line('DELETED', pod('a', '10'))),
  );
  using client = await api.client({ ...FAST, idleMs: 200 });
  assert.deepEqual((await observe(client, 2)).said, ['a', '']);
});

// Looks into a running client.
testOnNode('a watch of a set that never changes shows signs of life', async () => {
  await using api = await scriptedApi(events(line('ADDED', pod('a')), bookmark('9')), events(), events(), events());
  using client = await api.client({ ...FAST, idleMs: 50 });
  const stop = new AbortController();
  const atRequests: number[] = [];
  const onMoved = () => {
    if (atRequests.push(api.requests.length) > 0 && api.requests.length === 4) stop.abort(new Error('enough'));
  };
  const follow = async () => {
    for await (const _ of client.watchSet(PODS, { signal: stop.signal, warn: () => {}, onMoved }));
  };
  await assert.rejects(follow(), /enough/);
  assert.deepEqual([...new Set(atRequests)], [0, 1, 2, 3, 4]);
});

test('without permission to watch, the set is listed, and only changes are reported', async () => {
  await using api = await scriptedApi(
    forbidden('watch'),
    list([pod('a')]),
    list([pod('a')]),
    status(500, 'down'),
    list([pod('a', '2')]),
    list([]),
  );
  using client = await api.client();
  const { said, warnings } = await observe(client, 5);
  assert.deepEqual(said, ['a', 'trouble', 'connected', 'a', '']);
  assert.deepEqual(warnings, [
    'system:serviceaccount:ns:waiter may not watch pods in namespace ns: polling every 0.01 s instead; add the verb watch to its Role',
  ]);
});

test('with only get permission, the names are read one by one', async () => {
  await using api = await scriptedApi((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://api');
    if (pathname.endsWith('/pods/a')) response.end(JSON.stringify(pod('a')));
    else if (pathname.endsWith('/pods/b')) status(404)(request, response);
    else forbidden('list')(request, response);
  });
  using client = await api.client();
  const { said, warnings } = await observe(client, 1, { ...PODS, names: ['a', 'b'] });
  assert.deepEqual(said, ['a']);
  assert.match(warnings[1] ?? '', /may not list pods in namespace ns: reading each by name/);
});

for (const [what, ref, kind] of [
  ['of a namespace', PODS, 'Role'],
  ['of the cluster', { group: '', version: 'v1', resource: 'nodes' }, 'ClusterRole'],
] as const) {
  test(`without permission to watch or list a set ${what} the error has the ${kind} to apply`, async () => {
    await using api = await scriptedApi(forbidden('watch'), forbidden('list'));
    using client = await api.client();
    const error: unknown = await observe(client, 1, ref).catch((reason: unknown) => reason);
    assert.ok(error instanceof NotPermittedError);
    const [role, binding] = loadAll(error.message.slice(error.message.indexOf('\n') + 1)) as [
      { kind: string; rules: unknown },
      { kind: string; subjects: unknown },
    ];
    assert.deepEqual([role.kind, binding.kind], [kind, `${kind}Binding`]);
    assert.deepEqual(role.rules, [{ apiGroups: [''], resources: [ref.resource], verbs: ['list', 'watch'] }]);
    assert.deepEqual(binding.subjects, [{ kind: 'ServiceAccount', name: 'waiter', namespace: 'ns' }]);
  });
}

test('a Role fixed while polling is noticed', async () => {
  await using api = await scriptedApi(forbidden('watch'), list([]), events(line('ADDED', pod('a')), bookmark('9')));
  using client = await api.client({ ...FAST, rewatchMs: 1 });
  assert.deepEqual((await observe(client, 2)).said, ['', 'a']);
});

test('the hundred and first set is polled instead of watched', async () => {
  await using api = await scriptedApi((request, response) => {
    if (request.url?.includes('watch=true')) events(line('ADDED', pod('a')), bookmark('9'))(request, response);
    else list([pod('listed')])(request, response);
  });
  using client = await api.client({ ...FAST, idleMs: 60_000 });
  const stop = new AbortController();
  const first = async (): Promise<string> => {
    for await (const seen of client.watchSet<KubeObject>(PODS, { signal: stop.signal, warn: () => {} }))
      if (seen.kind === 'set') return [...seen.objects.keys()].join();
    return '';
  };
  const open: AsyncIterator<unknown>[] = [];
  for (let n = 0; n < 100; n++) {
    const watch = client.watchSet(PODS, { signal: stop.signal, warn: () => {} })[Symbol.asyncIterator]();
    await watch.next();
    open.push(watch);
  }
  assert.equal(await first(), 'listed');
  await open.shift()?.return?.();
  await until('its slot to be released', async () => ((await first()) === 'a' ? true : undefined));
  for (const watch of open) await watch.return?.();
});
