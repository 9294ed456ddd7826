import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient } from '../../src/kube/types.ts';
import { Beat } from '../../src/operator/runtime/beat.ts';
import { imagesIn } from '../../src/operator/helm/images.ts';
import { newestRelease } from '../../src/operator/helm/release.ts';
import type { OpenStack } from '../../src/operator/api/objects.ts';
import { wantedServices } from '../../src/operator/openstack/plan.ts';
import { Preflight } from '../../src/operator/openstack/preflight.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';

const { signal } = new AbortController();

/** The newest revision of a release with this manifest. */
async function releaseOf(manifest: string) {
  const record = JSON.stringify({ info: { status: 'deployed' }, manifest });
  const release = Buffer.from(gzipSync(record).toString('base64')).toString('base64');
  const get = (path: string) =>
    path.endsWith('.v1')
      ? Promise.resolve({ metadata: { name: 'sh.helm.release.v1.keystone.v1' }, data: { release } })
      : Promise.reject(new ApiError(404, 'no such revision'));
  const client = { get } as unknown as KubeClient;
  return await newestRelease(client, { namespace: 'openstack', name: 'keystone' }, 1, signal);
}

test('of equal keys in a manifest the last one counts, as for Helm', async () => {
  const release = await releaseOf('kind: Secret\nmetadata:\n  name: x\n  labels: {a: b}\n  labels: {a: c}\n');
  assert.deepEqual(release?.objects, [{ kind: 'Secret', name: 'x' }]);
});

test('a manifest that is no YAML is an error without its lines', async () => {
  const manifest = 'kind: Secret\nmetadata: {name: x}\nstringData:\n  a: s3cret-word\n b: {\n';
  await assert.rejects(releaseOf(manifest), (error: Error) => !error.message.includes('s3cret-word'));
});

test('an error in one of many documents names its line among all', async () => {
  const manifest = '---\nkind: A\n---\nkind: B\nmetadata: {\n---\nkind: C\n';
  await assert.rejects(releaseOf(manifest), /the chart renders no valid YAML: \{ of line 5 is not closed/);
});

test('a record that unpacks to more than a release has, or that is damaged, is an error with the name of its Secret', async () => {
  const place = /^Helm's record in Secret sh\.helm\.release\.v1\.keystone\.v1 can't be read: /;
  await assert.rejects(releaseOf(' '.repeat(17 * 2 ** 20)), { name: 'RecordError', message: /larger than 16777216/ });
  await assert.rejects(releaseOf('a: [s3cret-word'), (error: Error) => place.test(error.message));
});

test('a list of a Pod that a chart leaves empty has no images', () => {
  const spec = 'containers: [{ image: tiny }]\n      initContainers:\n      imagePullSecrets:\n';
  const text = `HOOKS:\nMANIFEST:\n---\nkind: Deployment\nspec:\n  template:\n    spec:\n      ${spec}`;
  assert.deepEqual(imagesIn(text), { images: ['tiny'], pullSecrets: [] });
});

test('a preflight reads lines of any length, and refuses releases that OpenStack does not skip', async () => {
  await using directory = await privateDirectory('rendered');
  const at = (name: string) => join(directory.path, name);
  await mkdir(at('charts/keystone'), { recursive: true });
  await writeFile(at('charts/keystone/Chart.yaml'), 'name: keystone\nversion: 1.0.0\n');
  const long = 'A'.repeat(100_000);
  const map = `kind: ConfigMap\nmetadata: {name: x}\nbinaryData:\n  a: ${long}\n`;
  await writeFile(at('output'), `NAME: keystone\nHOOKS:\nMANIFEST:\n---\n${map}---\nkind: Secret\nNOTES:\n: {\n`);
  await writeFile(at('helm'), `#!/bin/sh\nexec cat ${at('output')}\n`);
  await chmod(at('helm'), 0o700);
  const limits = { ownMs: 30_000, memoryBytes: 2 ** 28 };
  const helm = { file: at('helm'), kubeconfig: undefined, directory: directory.path, inherited: process.env, limits };
  const { log } = recordedLog();
  const preflight = new Preflight({
    client: {} as KubeClient,
    charts: at('charts'),
    helm,
    beat: new Beat(600_000),
    log,
  });
  const metadata = { name: 'cloud', namespace: 'openstack', uid: 'uid', generation: 1 };
  const openstack: OpenStack = { metadata, spec: { release: '2026.1', services: { keystone: {} } } };
  const none = new Map<string, never>();
  const checked = await preflight.check(openstack, wantedServices(openstack, none), none, signal);
  assert.equal(checked.reason, 'Passed');
  for (const [from, to, says] of [
    ['2025.2', '2026.2', /^keystone: OpenStack has no upgrade from 2025\.2 to 2026\.2: go to 2026\.1 first$/],
    ['2025.1', '2026.2', /to 2026\.2: go to 2025\.2 or 2026\.1 first$/],
    ['2025.1', '2026.1', /^1 charts render/],
    ['2025.1', '2025.2', /^1 charts render/],
  ] as const) {
    const upgrade = { skipChecks: ['keystone'] };
    const later: OpenStack = { metadata, spec: { ...openstack.spec, release: to, upgrade } };
    const existing = new Map([['keystone', { metadata, spec: { release: from }, status: { release: from } }]]);
    const { message } = await preflight.check(later, wantedServices(later, existing), existing, signal);
    assert.match(message ?? '', says);
  }
});
