import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import type { Container, PodSpec, VolumeMount } from '../../../src/config/volumes/pod-spec.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { planOf } from './fixtures.ts';

const EXAMPLE = fileURLToPath(new URL('../../../k8s/examples/keystone/', import.meta.url));

/** Volumes that are not in config.json: Keystone's keys, and the Pod's labels for its log lines. */
const ADDED = new Set(['keys', 'podinfo']);

interface Workload {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: Omit<PodSpec, 'initContainers' | 'containers'> & Containers } };
}
interface Containers {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
}

async function documents(name: string): Promise<unknown[]> {
  return loadAll(await readFile(join(EXAMPLE, name), 'utf8'));
}

async function planOfExample(): Promise<PodSpec> {
  await using directory = await privateDirectory('example');
  const maps = (await documents('config.yaml')) as { data?: { 'config.json'?: string } }[];
  const text = maps.flatMap(({ data }) => data?.['config.json'] ?? [])[0];
  const file = join(directory.path, 'config.json');
  await writeFile(file, text ?? '');
  const { spec } = await planOf(file);
  assert.ok(spec);
  return spec;
}

/** Asserts that a container has all planned mounts, and no other mount of the volumes in the plan. */
function isPlanned(mounts: readonly VolumeMount[], planned: readonly VolumeMount[]): void {
  for (const mount of planned)
    assert.ok(
      mounts.some((each) => isSame(each, mount)),
      JSON.stringify(mount),
    );
  const names = new Set(planned.map(({ name }) => name));
  const more = mounts.filter((mount) => names.has(mount.name) && !planned.some((each) => isSame(each, mount)));
  assert.deepEqual(more, [], 'all planned volumes are mounted');
}

function isSame(a: VolumeMount, b: VolumeMount): boolean {
  const text = ({ name, mountPath, subPath, readOnly }: VolumeMount) =>
    JSON.stringify([name, mountPath, subPath, readOnly]);
  return text(a) === text(b);
}

for (const [file, kind] of [
  ['deployment.yaml', 'Deployment'],
  ['job.yaml', 'Job'],
] as const) {
  test(`the example's ${kind} equals plan's output for its config.json, plus volumes for keys and labels`, async () => {
    const plan = await planOfExample();
    const workload = ((await documents(file)) as Workload[]).find((each) => each.kind === kind);
    assert.ok(workload);
    const { securityContext, volumes, initContainers, containers } = workload.spec.template.spec;
    assert.deepEqual(securityContext, plan.securityContext);
    const own = volumes.filter(({ name }) => name !== 'config-files' && !ADDED.has(name));
    assert.deepEqual(
      own,
      plan.volumes.filter(({ name }) => name !== 'config-files'),
    );
    const [first] = initContainers;
    assert.ok(first);
    assert.deepEqual(first.command?.slice(0, 3), plan.initContainers[0].command);
    isPlanned(first.volumeMounts, plan.initContainers[0].volumeMounts);
    isPlanned(containers[0]?.volumeMounts ?? [], plan.containers[0].volumeMounts);
    for (const each of [...initContainers, ...containers])
      assert.deepEqual(each.securityContext, plan.containers[0].securityContext);
    if (kind === 'Deployment') assert.deepEqual(containers[0]?.args, plan.containers[0].args);
  });
}
