import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import {
  ApiError,
  connectKube,
  collectionPath,
  objectPath,
  type KubeClient,
  type KubeObject,
} from '../../src/kube/index.ts';
import { ownRef, type Kind, type OwnObject } from '../../src/operator/api/objects.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { helm, helmBinary } from '../../tools/helm.ts';
import type { Running } from '../../tools/process.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { openWait } from '../support/open-waits.ts';

const CRDS = fileURLToPath(new URL('../../k8s/crds/', import.meta.url));
const CHART = fileURLToPath(new URL('../charts/fixtures/tiny/', import.meta.url));
export const CHART_VERSION = '1.0.0';
/** Until the status of a Pod is written again after an error of the API server. */
const AGAIN_MS = 1000;

/** A Pod, with the fields that decide what our kubelet does with it. */
export interface Pod extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status?: { readonly phase?: string };
}

/** What happens to a Pod. `hold`: nothing yet. */
type Fate = 'runs' | 'succeeds' | 'succeeds, warning' | 'fails' | 'no image' | 'hold';

/** Pods of Jobs succeed, all others become ready. */
export function usualFate({ metadata }: Pod): Fate {
  return metadata.labels?.['batch.kubernetes.io/job-name'] === undefined ? 'runs' : 'succeeds';
}

/** A namespace with the CRDs, small charts under the catalogue's names, and Pods that end or become ready. */
export interface OperatorSite extends AsyncDisposable {
  readonly cluster: SharedControlPlane;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly charts: string;
  readonly directory: string;
  /** Decides about each Pod; a new function applies to Pods that are held, too. */
  fate: (pod: Pod) => Fate;
  /** Jobs whose Pods have succeeded, in that order, with their image: `keystone-expand-r2 expand:2025.2`. */
  readonly steps: readonly string[];
  /** Starts an operator; its log goes to `operator.log` in the directory. */
  operator(args?: readonly string[], kubeconfig?: string): Promise<Running>;
  /** A kubeconfig with the permissions that `kolla-operator rbac` prints, and no others. */
  account(): Promise<string>;
  create(kind: Kind, name: string, spec: object): Promise<void>;
  patch(kind: Kind, name: string, spec: object): Promise<void>;
  /** Waits until the object is as wanted, by its watch. */
  seen<O extends OwnObject>(kind: Kind, name: string, what: string, is: (object: O) => boolean): Promise<O>;
  /** Writes the Lease of a migration, as kolla-db-sync does. */
  migration(name: string, state: string, phase: string, release: string): Promise<void>;
  /** Runs Helm as a person does. */
  helm(...args: string[]): Promise<string>;
  /** Revision and status of a release, oldest first. */
  history(name: string): Promise<string[]>;
  request<T>(method: 'GET' | 'DELETE', path: string): Promise<T>;
}

export async function operatorSite(label: string, chartNames: readonly string[]): Promise<OperatorSite> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await sharedControlPlane());
  const { path: directory } = stack.use(await privateDirectory('operator'));
  const namespace = namespaceName(label);
  await cluster.createNamespace(namespace);
  await cluster.kubectl(['apply', '--server-side', '--filename', CRDS]);
  await cluster.kubectl(['wait', '--for=condition=Established', '--filename', CRDS, '--timeout=-1s']);
  const charts = join(directory, 'charts');
  for (const name of chartNames) makeChart(charts, name);
  const stop = new AbortController();
  const client = stack.use(await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] }));
  const kubelet = startKubelet(client, namespace, stop.signal);
  stack.defer(async () => {
    stop.abort();
    await kubelet.ended;
  });
  const file = await helmBinary();
  const { signal } = stop;
  const kept = stack.move();
  const helmHere = async (...args: string[]) => {
    const { code, stdout, stderr } = await helm(directory, [...args, `--namespace=${namespace}`], cluster.kubeconfig);
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  return {
    cluster,
    client,
    namespace,
    charts,
    directory,
    set fate(fate: (pod: Pod) => Fate) {
      kubelet.use(fate);
    },
    get fate() {
      return usualFate;
    },
    steps: kubelet.steps,
    operator: async (args = [], kubeconfig = cluster.kubeconfig) => {
      const own = ['--directory', directory, '--log-level', 'debug'];
      if (!args.includes('--helm')) own.push('--helm', file);
      if (!args.includes('--charts')) own.push('--charts', charts);
      const where = ['--namespace', namespace, '--kubeconfig', kubeconfig];
      const running = await startHelper('kolla-operator', [...own, ...where, ...args], {
        logFile: join(directory, 'operator.log'),
      });
      return kept.use(running);
    },
    account: async () => {
      const { stdout } = await runHelper('kolla-operator', ['rbac', '--namespace', namespace]);
      await cluster.kubectl(['create', 'serviceaccount', 'kolla-operator', '--namespace', namespace]);
      await cluster.kubectl(['apply', '--filename', '-'], stdout);
      return await cluster.kubeconfigOf(namespace, 'kolla-operator');
    },
    create: async (kind, name, spec) => {
      const object = { apiVersion: 'kolla-pod.io/v1alpha1', kind, metadata: { name, namespace }, spec };
      const { name: _, ...set } = ownRef(kind, namespace, name);
      await client.request('POST', `${collectionPath(set)}?fieldValidation=Strict`, object, { signal });
    },
    patch: async (kind, name, spec) => {
      await client.request('PATCH', objectPath(ownRef(kind, namespace, name)), { spec }, { signal });
    },
    seen: async <O extends OwnObject>(kind: Kind, name: string, what: string, is: (object: O) => boolean) => {
      using wait = openWait(`${kind} ${name}: ${what}`);
      for await (const observed of client.watch<O>(ownRef(kind, namespace, name), { signal, warn: () => {} })) {
        if (observed.kind !== 'object') continue;
        wait.saw(observed.object.status);
        if (is(observed.object)) return observed.object;
      }
      throw new Error('the watch has ended');
    },
    migration: async (name, state, phase, release) => {
      const annotations = { 'kolla-pod/state': state, 'kolla-pod/phase': phase, 'kolla-pod/release': release };
      const metadata = { name: `kolla-db-sync-${name}`, namespace, annotations };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
      await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(lease));
    },
    helm: helmHere,
    history: async (name) => {
      const rows = JSON.parse(await helmHere('history', name, '--output=json')) as {
        revision: number;
        status: string;
      }[];
      return rows.map(({ revision, status }) => `${revision} ${status}`);
    },
    request: <T>(method: 'GET' | 'DELETE', path: string) => client.request<T>(method, path, undefined, { signal }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Copies the small chart under another name. With the library's name, from which the operator knows the catalogue's charts. */
export function makeChart(
  charts: string,
  name: string,
  version: string = CHART_VERSION,
  library: string = 'kolla-pod',
): void {
  cpSync(CHART, join(charts, name), { recursive: true });
  const text = `apiVersion: v2\nname: ${name}\nversion: ${version}\nkubeVersion: '>=1.30-0'\n`;
  writeFileSync(join(charts, name, 'Chart.yaml'), `${text}dependencies: [{ name: ${library}, version: 1.0.0 }]\n`);
  const below = join(charts, name, 'charts', library);
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, 'Chart.yaml'), `apiVersion: v2\nname: ${library}\nversion: 1.0.0\ntype: library\n`);
}

interface Kubelet {
  readonly steps: string[];
  readonly ended: Promise<void>;
  use(fate: (pod: Pod) => Fate): void;
}

/** Ends Pods or makes them ready, where no kubelet runs them. */
function startKubelet(client: KubeClient, namespace: string, signal: AbortSignal): Kubelet {
  const steps: string[] = [];
  const decided = new Set<string>();
  let pods: readonly Pod[] = [];
  let fateOf: (pod: Pod) => Fate = usualFate;
  let work = Promise.resolve();
  const look = () => {
    work = after(work, async () => {
      for (const pod of pods) {
        // A StatefulSet's new Pod has the name of the old one.
        const key = `${pod.metadata.uid} ${fateOf(pod)}`;
        if (decided.has(key) || (pod.status?.phase ?? 'Pending') !== 'Pending' || fateOf(pod) === 'hold') continue;
        decided.add(key);
        const path = `${objectPath({ group: '', version: 'v1', resource: 'pods', namespace, name: pod.metadata.name })}/status`;
        const status = STATUS[fateOf(pod) as Exclude<Fate, 'hold'>];
        try {
          await client.request('PATCH', path, { status }, { signal });
        } catch (error) {
          if (signal.aborted) return;
          // A Pod that was deleted meanwhile needs no state. Like a kubelet, tries again after any other error.
          if (error instanceof ApiError && error.status === 404) continue;
          console.error(`the status of Pod ${pod.metadata.name}: ${messageOf(error)}`);
          decided.delete(key);
          await sleep(AGAIN_MS, undefined, { ref: false });
          return look();
        }
        if (fateOf(pod) === 'succeeds')
          steps.push(`${pod.metadata.labels?.['batch.kubernetes.io/job-name']} ${pod.spec.containers[0]?.image}`);
      }
    });
  };
  const follow = async () => {
    const set = { group: '', version: 'v1', resource: 'pods', namespace };
    for await (const seen of client.watchSet<Pod>(set, { signal, warn: () => {} })) {
      if (seen.kind === 'set') pods = [...seen.objects.values()];
      look();
    }
  };
  return {
    steps,
    ended: follow().catch(async (error: unknown) => {
      await work;
      if (!signal.aborted) throw error;
    }),
    use(fate) {
      fateOf = fate;
      look();
    },
  };
}

/** One after the other: a Pod that is looked at twice must not be ended twice. */
async function after(work: Promise<void>, next: () => Promise<void>): Promise<void> {
  await work;
  await next();
}

const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "tiny:missing"' };
const container = { name: 'main', image: 'tiny', imageID: '', restartCount: 0 };
function ended(exitCode: number, message: string): object {
  return { ...container, ready: false, state: { terminated: { exitCode, message } } };
}
const STATUS = {
  succeeds: { phase: 'Succeeded' },
  'succeeds, warning': { phase: 'Succeeded', containerStatuses: [ended(0, 'kolla-db-sync: x: A warning')] },
  fails: { phase: 'Failed', containerStatuses: [ended(1, 'kolla-db-sync: x: B failure')] },
  runs: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  'no image': { containerStatuses: [{ ...container, ready: false, state: { waiting } }] },
} satisfies Record<Exclude<Fate, 'hold'>, object>;

/** The condition of that type. */
export function condition(
  { status }: OwnObject,
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** Whether the object is ready, and its status is about its current spec. */
export function isReady(object: OwnObject): boolean {
  const { metadata, status } = object;
  return status?.observedGeneration === metadata.generation && condition(object, 'Ready')?.status === 'True';
}
