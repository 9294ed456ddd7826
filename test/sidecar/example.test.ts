import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load, loadAll } from 'js-yaml';
import { parseDuration } from '../../src/core/duration.ts';
import { whyUnsafe, type SidecarPod } from '../../src/sidecar/components/own-probe.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly object[];
  readonly spec?: { readonly template: SidecarPod };
}

const page = await readFile(new URL('../../k8s/examples/sidecar-all/deployment.yaml', import.meta.url), 'utf8');
const manifests = loadAll(page) as Manifest[];
const podYaml = manifests.find(({ data }) => data !== undefined)?.data?.['kolla-pod.yaml'] ?? '';
const { 'db-sync': dbSync, 'log-ship': logShip } = load(podYaml) as Record<string, Record<string, string>>;

test("the example's startup probe, its path and its grace period fit its own options", () => {
  const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template;
  const ms = (text = '') => parseDuration(text);
  const needs = {
    timeout: ms(dbSync?.['timeout']),
    lockTimeout: ms(dbSync?.['lock-timeout']),
    grace: ms(dbSync?.['grace']) + ms(logShip?.['grace']) + 10_000,
    port: 9808,
    holdsBack: true,
    paths: ['/startupz/components'] as [string],
  };
  assert.ok(pod);
  const own = { ...pod, metadata: { name: 'keystone' } };
  assert.equal(whyUnsafe(own, 'sidecar', needs), undefined);
  assert.match(whyUnsafe(own, 'sidecar', { ...needs, paths: ['/x'] }) ?? '', /requests HTTP \/startupz\/components/);
  assert.match(whyUnsafe(own, 'sidecar', { ...needs, grace: needs.grace + 1000 }) ?? '', /set terminationGrace/);
});

test("the example's Role equals the output of kolla-db-sync rbac", async () => {
  const rulesOf = async (helper: string, words: readonly string[]) => {
    const { stdout } = await runHelper(helper, [...words, '--service-account', 'keystone', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: Manifest[] };
    return items.find(({ kind }) => kind === 'Role')?.rules ?? [];
  };
  const wanted = await rulesOf('kolla-db-sync', ['rbac', 'keystone', '--stay']);
  assert.deepEqual(manifests.find(({ kind }) => kind === 'Role')?.rules, wanted);
});

for (const [what, text] of [
  ['the example', podYaml],
  ["the page's", await shown()],
] as const)
  test(`every component of ${what} kolla-pod.yaml is accepted, up to where it needs the Pod`, async () => {
    await using directory = await privateDirectory('example');
    const file = join(directory.path, 'kolla-pod.yaml');
    // The last component, log-ship, has an invalid option here: its error shows that the others were accepted.
    await writeFile(
      file,
      text.replace('log-ship: {', 'log-ship: { max-line-bytes: 1,').replaceAll('/kolla }', `${directory.path} }`),
    );
    const { code, stderr } = await runHelper('kolla-sidecar', ['--config', file], {
      env: { KOLLA_LOG_SHIP_PASSWORD: 'x', KOLLA_INIT_ROOT: directory.path },
    });
    assert.equal(code, 64, stderr);
    assert.match(logLines(stderr).at(-1)?.msg ?? '', /--max-line-bytes 1/);
  });

async function shown(): Promise<string> {
  const text = await readFile(new URL('../../docs/reference/kolla-sidecar.md', import.meta.url), 'utf8');
  return /```yaml\n(# \/etc\/kolla-pod[^]*?)```/.exec(text)?.[1] ?? '';
}
