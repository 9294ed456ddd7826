import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unpackedPackages } from '../tools/debian.ts';
import { imageTar, layerOfDirectory } from '../tools/image.ts';
import { binaryEntries } from '../test/cluster/keystone-image.ts';
import { startNode, testbox, type KubeNode } from '../test/cluster/kubernetes/index.ts';
import { tarOf } from '../tools/tar.ts';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import { privateDirectory } from '../tools/directory.ts';
import { until } from '../test/support/until.ts';
import { round, type Figure } from './figure.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const IMAGE = 'kolla-pod.test/probed:1';
/** Programs started by Kolla's script, and dependencies of these and our binary. */
const PACKAGES = ['base-files', 'bash', 'coreutils', 'grep', 'iproute2', 'libc6', 'libstdc++6', 'procps'];
const UID = 42_436;
const PODS = 12;
const SETTLE_MS = 5000;
const WINDOW_MS = 20_000;
/** Measured windows per way of probing: the node's other load varies between them. */
const WINDOWS = 2;
/** Maximum fraction of failed probes. */
const MOST_FAILED = 0.02;
const TICK_MS = 10;
const WORDS = ['nova-compute', '8080'];

interface Way {
  readonly name: string;
  readonly probe: object | undefined;
  /** Probes per Pod, each run every second. */
  readonly each: number;
}

const exec = (file: string) => ({ exec: { command: [file, ...WORDS] } });
const WAYS = {
  none: { name: 'no probe', probe: undefined, each: 1 },
  peer: { name: "exec of Kolla's healthcheck_listen", probe: exec('/opt/kolla/healthcheck_listen'), each: 1 },
  core: { name: 'exec of kolla-core', probe: exec('/opt/core/healthcheck_listen'), each: 1 },
  binary: { name: 'exec of kolla-pod', probe: exec('/usr/local/bin/healthcheck_listen'), each: 1 },
  httpGet: { name: 'httpGet', probe: { httpGet: { path: '/readyz', port: 9808 } }, each: 4 },
} as const satisfies Readonly<Record<string, Way>>;

/** A node's total CPU time per probe: kubelet, containerd, runc, and processes in the Pods. */
export async function nodeFigures(say: (text: string) => void): Promise<Figure[]> {
  await using directory = await privateDirectory('probed');
  const image = await imageOf(directory.path);
  await using node = await startNode({ images: [image] });
  await until('the default ServiceAccount', async () =>
    (await node.kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') ? true : undefined,
  );
  await node.kubectl(['create', 'configmap', 'probed', `--from-literal=kolla-pod.yaml=${CONFIG}`]);
  const least = new Map<string, number>();
  for (const [key, way] of Object.entries(WAYS) as [string, Way][]) {
    say(`${PODS} Pods, ${way.name}`);
    least.set(key, await secondsOf(node, way));
  }
  const none = least.get('none') ?? NaN;
  const perProbe = (key: keyof typeof WAYS) =>
    round((((least.get(key) ?? NaN) - none) * 1000) / (PODS * WAYS[key].each), 2);
  const row = (key: 'core' | 'binary' | 'httpGet', reach?: number): Figure => ({
    what: `node CPU per probe, ${WAYS[key].name}`,
    unit: 'ms',
    ours: perProbe(key),
    peer: perProbe('peer'),
    ...(reach === undefined ? {} : { reach }),
  });
  return [row('httpGet', 1.2), row('core', 25), row('binary')];
}

/** CPU seconds per second of the node while its Pods are probed this way; the minimum of the windows. */
async function secondsOf(node: KubeNode, way: Way): Promise<number> {
  await node.kubectl(['create', '--filename=-'], JSON.stringify(deployment(way)));
  await node.kubectl(['wait', '--for=condition=Available', 'deployment/probed', '--timeout=-1s']);
  await sleep(SETTLE_MS);
  const failures = await unhealthyEvents(node);
  const taken: number[] = [];
  for (let i = 0; i < WINDOWS; i++) {
    const [before, from] = [cpuMsUnder(node.pid), performance.now()];
    await sleep(WINDOW_MS);
    taken.push((cpuMsUnder(node.pid) - before) / (performance.now() - from));
  }
  // Failures during start do not count. A few on a busy machine do not change the mean.
  const failed = (await unhealthyEvents(node)) - failures;
  if (failed > (MOST_FAILED * PODS * way.each * WINDOWS * WINDOW_MS) / 1000)
    throw new Error(
      `${failed} probes of '${way.name}' failed:\n${await node.kubectl(['get', 'events', '--field-selector=reason=Unhealthy'])}`,
    );
  await node.kubectl(['delete', 'deployment/probed', '--cascade=foreground', '--wait']);
  await node.kubectl(['delete', 'pods', '--all', '--grace-period=1', '--wait']);
  return Math.min(...taken);
}

/**
 * Number of probe failures reported by the kubelet for existing Pods: probes of deleted Pods are interrupted and
 * reported late.
 */
async function unhealthyEvents(node: KubeNode): Promise<number> {
  const items = async <T>(...words: string[]): Promise<T[]> =>
    (JSON.parse(await node.kubectl(['get', ...words, '--output=json'])) as { items: T[] }).items;
  const pods = new Set((await items<{ metadata: { uid: string } }>('pods')).map(({ metadata }) => metadata.uid));
  const told = await items<{ count?: number; involvedObject: { uid: string } }>(
    'events',
    '--field-selector=reason=Unhealthy',
  );
  return told
    .filter(({ involvedObject }) => pods.has(involvedObject.uid))
    .reduce((sum, { count = 1 }) => sum + count, 0);
}

/** CPU time of a process, its living descendants, and their reaped children. */
function cpuMsUnder(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => statOf(pid));
  const below = new Set([root]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid)).reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0);
}

function statOf(pid: string): { pid: number; parent: number; ticks: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // After the name: state, ppid ... utime, stime, cutime, cstime from the twelfth.
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return [{ pid: Number(pid), parent: fields[1] ?? 0, ticks }];
  } catch {
    return []; // it ended
  }
}

const CONFIG = JSON.stringify({
  checks: { listens: { run: 'listen 8080 --process nova-compute', for: ['readiness', 'liveness'] } },
});

/** The service, next to a server that sees its processes. */
function deployment({ probe, each }: Way): object {
  const probes = (count: number) =>
    probe === undefined
      ? {}
      : Object.fromEntries(
          ['readinessProbe', 'livenessProbe']
            .slice(0, count)
            .map((name) => [name, { ...probe, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3 }]),
        );
  const common = { image: IMAGE };
  const server = ['kolla-probe', 'serve', '--config', '/etc/probed/kolla-pod.yaml'];
  const containers = [
    { ...common, name: 'main', command: ['/usr/bin/nova-compute', 'serve', ':8080'], ...probes(each > 1 ? 2 : 1) },
    {
      ...common,
      name: 'probe',
      command: server,
      volumeMounts: [{ name: 'config', mountPath: '/etc/probed' }],
      ...probes(each > 2 ? 2 : 0),
    },
  ];
  const labels = { app: 'probed' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'probed' },
    spec: {
      replicas: PODS,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          shareProcessNamespace: true,
          terminationGracePeriodSeconds: 1,
          securityContext: { runAsUser: UID, runAsGroup: UID },
          volumes: [{ name: 'config', configMap: { name: 'probed' } }],
          containers,
        },
      },
    },
  };
}

async function imageOf(directory: string): Promise<string> {
  const file = join(directory, 'probed.tar');
  const root = await unpackedPackages('probe-image', PACKAGES);
  const script = await readFile(join(await kollaPackage(), 'base/healthcheck_listen'));
  const entries = [
    { name: 'etc/passwd', mode: 0o644, content: `root:x:0:0::/:/bin/bash\nnova:x:${UID}:${UID}::/:/bin/bash\n` },
    { name: 'tmp/', mode: 0o1777 },
    { name: 'opt/kolla/healthcheck_listen', mode: 0o755, content: script },
    { name: 'opt/core/healthcheck_listen', mode: 0o755, content: await readFile(join(DIST, 'kolla-core')) },
    { name: 'usr/bin/nova-compute', mode: 0o755, content: await readFile(await testbox()) },
  ];
  const names = ['kolla-pod', 'kolla-probe', 'healthcheck_listen'];
  const layers = [
    layerOfDirectory(root, ['--owner=0', '--group=0']),
    tarOf(entries),
    tarOf(await binaryEntries(join(DIST, 'kolla-pod'), names)),
  ];
  const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await imageTar(file, { reference: IMAGE, layers, env: { PATH, LANG: 'C.UTF-8' } });
  return file;
}
