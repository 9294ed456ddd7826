import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { needsOf, PARTS, prepare, type Part } from './prepare.ts';

const never = new AbortController().signal;
/** Needs a part in each lane. */
const FILE = 'test/charts/api-server/releases.test.ts';

function part(name: string, module: string, lane: Part['lane'], make: Part['make']): Part {
  return { name, modules: [module], lane, make };
}

test('each part belongs to an existing module', () => {
  for (const module of PARTS.flatMap(({ modules }) => modules)) assert.ok(existsSync(module), module);
});

test('a test file needs the parts whose modules it is or imports, transitively', () => {
  const helm = part('helm', 'tools/helm.ts', 'computes', assert.fail);
  const kube = part('kube', 'test/cluster/kubernetes/binaries.ts', 'computes', assert.fail);
  const docker = part('docker', 'test/cluster/docker/index.ts', 'fetches', assert.fail);
  const own = part('own', FILE, 'computes', assert.fail);
  assert.deepEqual(needsOf(FILE, [helm, docker, kube, own]), [helm, kube, own]);
  assert.deepEqual(needsOf('test/runner/prepare.test.ts'), []);
});

test('a file is ready when the last of its parts is, and unused parts are not set up', async () => {
  const [helm, kube] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const unneeded: string[] = [];
  const parts = [
    part('helm', 'tools/helm.ts', 'fetches', () => helm.promise),
    part('kube', 'test/cluster/kubernetes/binaries.ts', 'computes', () => kube.promise),
    part('other', 'tools/no-such.ts', 'computes', async () => void unneeded.push('other')),
  ];
  const said: string[] = [];
  const { readyFor, done } = prepare([FILE], never, (line) => said.push(line), parts);
  const order: string[] = [];
  const ready = readyFor(FILE)!.then(() => order.push('ready'));
  helm.promise.then(() => order.push('helm'), assert.fail);
  kube.promise.then(() => order.push('kube'), assert.fail);
  helm.resolve(undefined);
  await helm.promise;
  kube.resolve(undefined);
  await Promise.all([ready, done]);
  assert.deepEqual(order, ['helm', 'kube', 'ready']);
  assert.deepEqual(unneeded, []);
  assert.match(said.join('\n'), /^ {2}helm: ready \([\d.]+ s\)\n {2}kube: ready \([\d.]+ s\)$/);
});

test('a file without parts waits for nothing', () => {
  assert.equal(prepare([], never, assert.fail).readyFor('test/runner/pool.test.ts'), undefined);
});

test('a part that cannot be set up is reported with the reason, and does not block its files', async () => {
  const said: string[] = [];
  const parts = [
    part('helm', 'tools/helm.ts', 'computes', async () => 'no go here'),
    part('kube', 'test/cluster/kubernetes/binaries.ts', 'computes', () => Promise.reject(new Error('disk full'))),
  ];
  await prepare([FILE], never, (line) => said.push(line), parts).readyFor(FILE);
  assert.match(said.join('\n'), /helm: not set up: no go here \(.*\n.*kube: not set up: disk full \(/);
});

test('after an abort nothing is started and no file waits', async () => {
  const begun: string[] = [];
  const parts = [part('helm', 'tools/helm.ts', 'computes', async () => void begun.push('helm'))];
  await prepare([FILE], AbortSignal.abort(), assert.fail, parts).readyFor(FILE);
  assert.deepEqual(begun, []);
});
