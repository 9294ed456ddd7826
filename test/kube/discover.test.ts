import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/index.ts';
import { scriptedApi, status, type Handler } from './support.ts';

const signal = new AbortController().signal;

/** An API server that serves these paths, and 404 for all others. */
function answers(bodies: Record<string, unknown>): Handler {
  return (request, response) => {
    const body = bodies[request.url ?? ''];
    if (typeof body === 'number') status(body)(request, response);
    else if (body === undefined) status(404)(request, response);
    else response.end(JSON.stringify(body));
  };
}

async function nameOf(client: KubeClient, what: string): Promise<string | undefined> {
  const found = await client.discover(what, { signal });
  return found && `${found.resource}.${found.version}.${found.group}`;
}

const resource = (name: string, kind: string, more: object = {}) => ({ name, kind, namespaced: true, ...more });

const OLD = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
      { name: 'broken.test', versions: [{ groupVersion: 'broken.test/v1' }] },
      { name: 'twice.test', versions: [{ groupVersion: 'twice.test/v2' }, { groupVersion: 'twice.test/v1' }] },
    ],
  },
  '/api/v1': {
    resources: [resource('pods', 'Pod', { singularName: 'pod', shortNames: ['po'] }), resource('pods/log', 'Pod')],
  },
  '/apis/apps/v1': { resources: [resource('deployments', 'Deployment', { singularName: '', shortNames: ['deploy'] })] },
  '/apis/broken.test/v1': 503,
  '/apis/twice.test/v2': { resources: [resource('things', 'Thing')] },
  '/apis/twice.test/v1': {
    resources: [resource('things', 'Thing'), resource('pods', 'Pod'), resource('relics', 'Relic')],
  },
};

for (const [word, expected] of [
  ['pods', 'pods.v1.'],
  ['po', 'pods.v1.'],
  ['pods.twice.test', 'pods.v1.twice.test'],
  ['deploy', 'deployments.v1.apps'],
  ['Deployment.apps', 'deployments.v1.apps'],
  ['things', 'things.v2.twice.test'],
  ['things.v1.twice.test', 'things.v1.twice.test'],
  ['relics', 'relics.v1.twice.test'],
  ['log', undefined],
] as const) {
  test(`a server that responds group by group, one of them broken, has ${expected ?? 'nothing'} for ${word}`, async () => {
    await using api = await scriptedApi(answers(OLD));
    using client = await api.client();
    assert.equal(await nameOf(client, word), expected);
  });
}

test('results are cached, and a definition created later is found', async () => {
  const bodies: Record<string, unknown> = { '/api': { versions: [] }, '/apis': { groups: [] } };
  await using api = await scriptedApi(answers(bodies));
  using client = await api.client();
  assert.equal(await nameOf(client, 'things'), undefined);
  bodies['/apis'] = OLD['/apis'];
  Object.assign(bodies, OLD);
  assert.equal(await nameOf(client, 'things'), 'things.v2.twice.test');
  const asked = api.requests.length;
  assert.equal(await nameOf(client, 'pods'), 'pods.v1.');
  assert.equal(api.requests.length, asked);
});

test('concurrent lookups share one request, and one that aborts does not affect the others', async () => {
  await using api = await scriptedApi(answers(OLD));
  using client = await api.client();
  const controller = new AbortController();
  const givesUp = client.discover('things', { signal: controller.signal });
  const others = ['pods', 'deploy', 'relics'].map((word) => nameOf(client, word));
  controller.abort(new Error('enough'));
  await assert.rejects(givesUp, /enough/);
  assert.deepEqual(await Promise.all(others), ['pods.v1.', 'deployments.v1.apps', 'relics.v1.twice.test']);
  assert.equal(api.requests.filter(({ url }) => url.pathname === '/apis').length, 1);
});

test('an apiVersion and kind cost one small response', async () => {
  await using api = await scriptedApi(answers(OLD));
  using client = await api.client();
  const found = await client.discover({ apiVersion: 'twice.test/v1', kind: 'Relic' }, { signal });
  assert.equal(found?.resource, 'relics');
  assert.deepEqual(
    api.requests.map(({ url }) => url.pathname),
    ['/apis/twice.test/v1'],
  );
});
