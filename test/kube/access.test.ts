import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { ConfigError, NotPermittedError } from '../../src/core/errors.ts';
import { connectKube, testOnNode } from '../cluster/kube-on-core.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { FAST, events, forbidden, job, kinds, line, observe, scriptedApi, status, type Handler } from './support.ts';

const upTo = (n: number) => (seen: readonly unknown[]) => seen.length === n;
const found =
  (version: string): Handler =>
  (_, response) =>
    void response.end(JSON.stringify(job(version)));

test('without permission to watch, objects are polled, and the missing verb is logged once', async () => {
  await using api = await scriptedApi(forbidden('watch'), status(404), status(404), found('7'), found('7'), found('8'));
  using client = await api.client();
  const { seen, warnings } = await observe(client, upTo(3));
  assert.deepEqual(kinds(seen), ['absent', 'object 7', 'object 8']);
  assert.deepEqual(warnings, [
    'system:serviceaccount:ns:waiter may not watch jobs.batch in namespace ns: polling every 0.01 s instead; add the verb watch to its Role',
  ]);
  assert.equal(api.requests[1]!.url.pathname, '/apis/batch/v1/namespaces/ns/jobs/sync');
});

test('while polling, a deleted object and a failing server are reported', async () => {
  await using api = await scriptedApi(forbidden('watch'), found('7'), status(404), status(500, 'down'), found('9'));
  using client = await api.client();
  const { seen } = await observe(client, upTo(5));
  assert.deepEqual(kinds(seen), ['object 7', 'deleted', 'trouble', 'connected', 'object 9']);
});

test('without permission to watch and get the error has the Role to apply', async () => {
  await using api = await scriptedApi(forbidden('watch'), forbidden('get'));
  using client = await api.client();
  const error: unknown = await observe(client, () => false).catch((reason: unknown) => reason);
  assert.ok(error instanceof NotPermittedError);
  const yaml = error.message.slice(error.message.indexOf('\n') + 1);
  const [role, binding] = loadAll(yaml) as [{ rules: unknown }, { subjects: unknown }];
  assert.deepEqual(role.rules, [
    { apiGroups: ['batch'], resources: ['jobs'], resourceNames: ['sync'], verbs: ['watch'] },
  ]);
  assert.deepEqual(binding.subjects, [{ kind: 'ServiceAccount', name: 'waiter', namespace: 'ns' }]);
});

for (const verb of ['watch', 'get'] as const) {
  test(`a denial by an API server that is not ready yet is temporary (${verb})`, async () => {
    // The API server rejects everything until it has read its Roles.
    let asked = 0;
    const refused: Handler = (request, response) => {
      if (++asked === 3) api.isReady = true;
      forbidden(verb)(request, response);
    };
    const script =
      verb === 'watch' ? [refused, refused, refused, found('7')] : [refused, refused, refused, refused, found('7')];
    await using api = await scriptedApi(...script);
    api.isReady = false;
    using client = await api.client();
    const { seen } = await observe(client, (all) => all.at(-1)?.kind === 'object');
    assert.deepEqual(kinds(seen).slice(0, 2), ['trouble', 'trouble']);
  });
}

test('a lasting denial is final if readiness cannot be read', async () => {
  await using api = await scriptedApi(forbidden('get'));
  api.isReady = false;
  using client = await api.client({ ...FAST, refusedMs: 100 });
  await assert.rejects(
    observe(client, () => false),
    NotPermittedError,
  );
});

test('on 401 the token is reloaded at once', async () => {
  await using api = await scriptedApi(
    (_, response) => {
      writeFileSync(join(api.accountDirectory, 'token'), 'token-2');
      response.writeHead(401);
      response.end();
    },
    events(line('ADDED', job('7'))),
  );
  using client = await api.client();
  const { seen } = await observe(client, upTo(1));
  assert.deepEqual(kinds(seen), ['object 7']);
  assert.deepEqual(
    api.requests.map(({ token }) => token),
    ['Bearer token-1', 'Bearer token-2'],
  );
});

test('a renewed CA is trusted on the next connection', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))));
  await writeFile(join(api.accountDirectory, 'ca.crt'), makeAuthority('another').certificate);
  using client = await api.client();
  let fixed: Promise<void> | undefined;
  const { seen } = await observe(client, (all) => {
    if (all.at(-1)?.kind === 'trouble')
      fixed ??= writeFile(join(api.accountDirectory, 'ca.crt'), api.authority.certificate);
    return all.at(-1)?.kind === 'object';
  });
  await fixed;
  assert.equal(seen[0]?.kind, 'trouble');
});

test('a kubeconfig provides server, namespace and credentials', async () => {
  await using api = await scriptedApi(events(line('ADDED', job('7'))));
  await using directory = await privateDirectory('kubeconfig');
  using inCluster = await api.client();
  const file = join(directory.path, 'config');
  await writeFile(
    file,
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server: inCluster.server, 'certificate-authority': join(api.accountDirectory, 'ca.crt') },
        },
      ],
      users: [{ name: 'u', user: { token: 'from-file' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'openstack' } }],
      'current-context': 'x',
    }),
  );
  using client = await connectKube({ kind: 'kubeconfig', files: [file] }, FAST);
  assert.equal(client.namespace, 'openstack');
  await observe(client, upTo(1));
  assert.equal(api.requests[0]!.token, 'Bearer from-file');
});

test('of several kubeconfigs missing ones are skipped, and the first entry and context count', async () => {
  await using directory = await privateDirectory('kubeconfig');
  const file = (name: string) => join(directory.path, name);
  const config = (token: string, namespace: string) => ({
    clusters: [{ name: 'c', cluster: { server: `https://${token}:6443` } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
  });
  await writeFile(file('first'), JSON.stringify(config('first', 'one')));
  await writeFile(file('second'), JSON.stringify({ ...config('second', 'two'), 'current-context': 'x' }));
  const files = ['missing', 'first', 'second'].map(file);
  using client = await connectKube({ kind: 'kubeconfig', files }, FAST);
  assert.deepEqual([client.server, client.namespace], ['https://first:6443/', 'one']);
});

test("a kubeconfig's tokenFile is resolved relative to it, and reloaded on a 401", async () => {
  await using directory = await privateDirectory('kubeconfig');
  await using api = await scriptedApi(
    (_, response) => {
      writeFileSync(join(directory.path, 'token'), 'second\n');
      response.writeHead(401).end();
    },
    events(line('ADDED', job('7'))),
  );
  await writeFile(join(directory.path, 'token'), 'first');
  const file = join(directory.path, 'config');
  const cluster = { server: api.url, 'certificate-authority': join(api.accountDirectory, 'ca.crt') };
  await writeFile(
    file,
    JSON.stringify({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { tokenFile: 'token' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  using client = await connectKube({ kind: 'kubeconfig', files: [file] }, FAST);
  await observe(client, upTo(1));
  const tokens = api.requests.map(({ token }) => token?.trim());
  assert.deepEqual(tokens, ['Bearer first', 'Bearer second']);
});

test('an invalid kubeconfig is reported without its text', async () => {
  await using directory = await privateDirectory('kubeconfig');
  const file = join(directory.path, 'config');
  await writeFile(file, 'users:\n  - name: a\n    user: {token: hunter2\n');
  await assert.rejects(connectKube({ kind: 'kubeconfig', files: [file] }), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /^cannot read credentials from .*\/config: \{ of line 3 is not closed$/);
    return !error.message.includes('hunter2');
  });
});

test('a missing token or kubeconfig is a configuration error that names it', async () => {
  await using api = await scriptedApi(events());
  await rm(join(api.accountDirectory, 'token'));
  await assert.rejects(api.client(), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /ServiceAccount in .*no such file or directory.*automountServiceAccountToken/s);
    return true;
  });
  await assert.rejects(connectKube({ kind: 'kubeconfig', files: ['/no/such'] }), ConfigError);
});

test('a resource that cannot be watched is polled', async () => {
  await using api = await scriptedApi(status(405, 'the server does not allow this method'), found('7'));
  using client = await api.client();
  const { seen, warnings } = await observe(client, upTo(1));
  assert.deepEqual(kinds(seen), ['object 7']);
  assert.deepEqual(warnings, [
    'the server does not allow this method: jobs.batch in namespace ns: polling every 0.01 s instead',
  ]);
});

// kolla-core leaves plugins to kolla-pod.
testOnNode('an exec plugin that does not respond is a configuration error within a limit', async () => {
  await using directory = await privateDirectory('kubeconfig');
  const file = join(directory.path, 'config');
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sleep', args: ['2'] };
  await writeFile(
    file,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  await assert.rejects(connectKube({ kind: 'kubeconfig', files: [file] }, { ...FAST, answerMs: 100 }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.message, `no credentials from ${file} in 0.1 s`);
    return true;
  });
});

// Changes the times of a running client.
testOnNode('a server that freezes during a response is an error within a limit', async (t) => {
  const timing = { ...FAST };
  const half: Handler = (_, response) => {
    timing.answerMs = 100; // from here on, so that a busy machine has time to send the headers
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"metadata":');
  };
  await using api = await scriptedApi(half);
  using client = await api.client(timing);
  await assert.rejects(client.get('/api/v1/nodes', { signal: t.signal }), /no complete response in 0.1 s/);
});

test('a pooled connection closed by the server on use is replaced silently', async (t) => {
  const last = (request: IncomingMessage) => request.socket.destroy();
  await using api = await scriptedApi(found('7'), last, found('8'));
  using client = await api.client();
  await client.get('/api/v1/nodes', { signal: t.signal });
  assert.deepEqual(await client.get('/api/v1/nodes', { signal: t.signal }), job('8'));
});
