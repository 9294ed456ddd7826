/** What a person does by docs/how-to/operator.md: installs the operator, applies a cloud, upgrades it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { ROOT } from '../../../build/bundle.ts';
import { messageOf } from '../../../src/core/errors.ts';
import { UPGRADE_STAGES } from '../../../src/catalog/order.ts';
import type { OpenStack, OpenStackService, OpenStackSpec } from '../../../src/operator/api/objects.ts';
import { helm } from '../../../tools/helm.ts';
import { run } from '../../../tools/process.ts';
import { podBinary } from '../../cluster/pod-binary.ts';
import { podImages } from '../../cluster/pod-images.ts';
import { until } from '../../support/until.ts';
import { REGISTRY } from '../images.ts';
import { GLOBALS } from '../install.ts';
import { NAMESPACE, type Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';

const CRDS = join(ROOT, 'k8s/crds');
const MANIFEST = join(ROOT, 'k8s/operator/operator.yaml');
const POLICY = join(ROOT, 'k8s/operator/policy.yaml');
const [BELOW] = UPGRADE_STAGES;
/** The command's exit code for a degraded service, and without an API server. */
const UNAVAILABLE = 69;
const CLOUD = join(ROOT, 'k8s/examples/cloud/openstack.yaml');

/** The image that the manifest names, on every node: its Pods may run anywhere. */
export async function importOperator({ node }: Stage): Promise<void> {
  const image = (await podImages()).find(({ kind }) => kind === 'operator') ?? assert.fail('no image of the operator');
  await node.importImage(image.file);
}

export async function installOperator(stage: Stage): Promise<void> {
  await stage.kubectl(['apply', '--server-side', `--filename=${CRDS}`, `--filename=${POLICY}`]);
  await stage.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=-1s']);
  await stage.kubectl(['apply', `--filename=${MANIFEST}`]);
  await stage.kubectl(['rollout', 'status', 'deployment/kolla-operator']);
}

/**
 * Applies the example's cloud. What lies below OpenStack keeps its image in an upgrade: each may be one Pod, without which
 * no request succeeds.
 * @param further files of values between those of the cloud and the passwords
 */
export async function applyCloud(stage: Stage, further: readonly string[], passwords: string): Promise<void> {
  const files = [GLOBALS, ...further];
  const keys = files.map((_file, index) => (index === 0 ? 'values.yaml' : `further-${index}.yaml`));
  const fromFiles = files.map((file, index) => `--from-file=${keys[index]}=${file}`);
  await stage.kubectl(['create', 'configmap', 'globals', ...fromFiles]);
  await stage.kubectl(['create', 'secret', 'generic', 'passwords', `--from-file=values.yaml=${passwords}`]);
  const example = load(await readFile(CLOUD, 'utf8')) as { spec: OpenStackSpec };
  const [globals, ...others] = example.spec.valuesFrom ?? [];
  const valuesFrom = [globals, ...keys.slice(1).map((key) => ({ ...globals, key })), ...others];
  const fixed = { values: { image: { tag: stage.release } } };
  const services = { ...example.spec.services, ...Object.fromEntries(BELOW.map((name) => [name, fixed])) };
  const spec = { ...example.spec, release: stage.release, valuesFrom, services };
  await stage.kubectl(['apply', '--filename=-'], dump({ ...example, spec }));
}

/**
 * Sets the cloud's release, and follows it until all services are ready.
 * @param isPatient whether a degraded one, which the operator tries again, does not end it
 */
export async function upgradeCloud(
  { node, kubectl }: Stage,
  release: string,
  timeline: Timeline,
  isPatient = false,
): Promise<void> {
  const { binary } = await podBinary();
  const args = ['upgrade', release, '--watch', '--namespace', NAMESPACE, '--kubeconfig', node.kubeconfig];
  for (;;) {
    const { code, stderr } = await run(binary, args);
    for (const line of stderr.trimEnd().split('\n')) timeline.say(line);
    if (code === 0) return;
    assert.ok(isPatient && code === UNAVAILABLE, stderr);
    await until('the operator to try again', async (saw) => {
      try {
        const path = '--output=jsonpath={.items[*].status.conditions[?(@.type=="Degraded")].status}';
        const degraded = await kubectl(['get', 'openstack', path]);
        saw(degraded);
        return degraded === 'True' ? undefined : true;
      } catch (error) {
        saw(messageOf(error)); // the API server may be what was struck
        return undefined;
      }
    });
  }
}

/** The releases of Helm are what the objects say, at the images of the release. */
export async function assertHelmAgrees(stage: Stage): Promise<string> {
  const listed = await helm(
    stage.directory,
    ['list', '--namespace', NAMESPACE, '--output=json'],
    stage.node.kubeconfig,
  );
  const releases = JSON.parse(listed.stdout) as { name: string; revision: string; status: string; chart: string }[];
  const services = JSON.parse(await stage.kubectl(['get', 'openstackservices', '--output=json'])) as {
    items: OpenStackService[];
  };
  const own = services.items.map(({ metadata, status }) => {
    const { revision, status: state, chart } = status?.helm ?? {};
    return { name: metadata.name, revision: `${revision}`, status: state, chart };
  });
  assert.ok(own.length > 0);
  assert.deepEqual(
    releases
      .map(({ name, revision, status, chart }) => ({ name, revision, status, chart }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    own.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  const { items } = JSON.parse(await stage.kubectl(['get', 'openstack', '--output=json'])) as { items: OpenStack[] };
  const release = items[0]?.spec.release;
  const selector = `app.kubernetes.io/instance,app.kubernetes.io/instance notin (${BELOW.join(',')}),!batch.kubernetes.io/job-name`;
  const pods = JSON.parse(await stage.kubectl(['get', 'pods', `--selector=${selector}`, '--output=json'])) as {
    items: { spec: { containers: { image: string }[] } }[];
  };
  const images = new Set(pods.items.flatMap(({ spec }) => spec.containers.map(({ image }) => image)));
  const old = [...images].filter((image) => image.startsWith(REGISTRY) && !image.endsWith(`:${release}`));
  assert.ok(images.size > 0);
  assert.deepEqual(old, []);
  return `${releases.length} releases, ${images.size} images of ${release}`;
}
