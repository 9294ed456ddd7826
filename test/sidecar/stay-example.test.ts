import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, loadAll } from 'js-yaml';
import { parseDuration } from '../../src/core/duration.ts';
import { whyUnsafe, type SidecarPod } from '../../src/sidecar/components/own-probe.ts';
import { runHelper } from '../support/helper.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly object[];
  readonly spec?: { readonly template: SidecarPod };
}

const page = await readFile(new URL('../../k8s/examples/sidecar/deployment.yaml', import.meta.url), 'utf8');
const manifests = loadAll(page) as Manifest[];

test("the example's startup probe and grace period are long enough for its own command line", () => {
  const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template;
  const words = (pod?.spec?.initContainers ?? []).flatMap((container) =>
    container.name === 'db-sync' ? ((container as { command?: string[] }).command ?? []) : [],
  );
  const duration = (flag: string) => parseDuration(words[words.indexOf(flag) + 1] ?? '');
  assert.ok(pod && words.includes('--stay'));
  const needs = { timeout: duration('--timeout'), lockTimeout: duration('--lock-timeout'), grace: duration('--grace') };
  const own = { ...pod, metadata: { name: 'keystone' } };
  assert.equal(whyUnsafe(own, 'db-sync', { ...needs, port: 9809, holdsBack: true }), undefined);
  const longer = { ...needs, timeout: needs.timeout * 100 };
  assert.match(whyUnsafe(own, 'db-sync', { ...longer, port: 9809, holdsBack: true }) ?? '', /fails after 5400 s/);
});

test("the example's Role equals the one printed by kolla-db-sync rbac for a sidecar", async () => {
  const words = ['rbac', 'keystone', '--stay', '--service-account', 'keystone', '-o', 'json'];
  const { stdout } = await runHelper('kolla-db-sync', words);
  const { items } = JSON.parse(stdout) as { items: Manifest[] };
  const roleOf = (all: readonly Manifest[]) => all.find(({ kind }) => kind === 'Role');
  assert.deepEqual(roleOf(manifests)?.rules, roleOf(items)?.rules);
  assert.equal(roleOf(manifests)?.metadata.name, roleOf(items)?.metadata.name);
});

test("the page's sidecar equals the example's", async () => {
  const text = await readFile(new URL('../../docs/reference/kolla-db-sync.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, block]) => block ?? '');
  const [shown] = load(blocks.find((block) => block.includes('--stay')) ?? '') as [object];
  const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template;
  const own = pod?.spec?.initContainers?.find(({ name }) => name === 'db-sync');
  assert.ok(own);
  assert.deepEqual(shown, Object.fromEntries(Object.keys(shown).map((key) => [key, (own as object)[key as never]])));
});
