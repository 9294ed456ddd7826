/** Helpers of the tests of `make aio`: tokens from Keystone, Pods from the API server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueToken, type Identity } from '../e2e/tokens.ts';
import { until } from '../support/until.ts';
import { CHARTS, NAMESPACE, type Aio } from './stage.ts';

/** The heading in docs/start/quickstart.md below which the charts are installed. */
export const QUICKSTART = 'On a cluster, with charts';

export interface PodState {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerState[];
    readonly initContainerStatuses?: readonly ContainerState[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

export interface ContainerState {
  readonly name: string;
  readonly restartCount: number;
  readonly state: { readonly running?: { readonly startedAt: string }; readonly terminated?: Ending };
  readonly lastState: { readonly terminated?: Ending };
}

interface Ending {
  readonly exitCode: number;
  readonly message?: string;
}

interface WorkloadState {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number };
}

export interface Openstack {
  /** Runs kubectl in the namespace. */
  readonly kubectl: (...args: string[]) => Promise<string>;
  /** Runs a script in a container of a Pod, or of a Deployment's first Pod. */
  readonly exec: (pod: string, container: string, script: string) => Promise<string>;
  /** The Pods of a chart's workloads, or of all charts, excluding those of Jobs. */
  readonly pods: (chart?: string) => Promise<PodState[]>;
  /** Resolves when every workload has its desired number of Pods, all Ready and none terminating. */
  readonly allReady: () => Promise<void>;
  /** Runs statements as root of MariaDB. */
  readonly sql: (statements: string) => Promise<string>;
  /** A new token of the admin, through the Service. Rejects if Keystone does. */
  readonly token: () => Promise<string>;
  /** A new token for an earlier one, which costs Keystone a tenth of what a password does. */
  readonly renewed: () => Promise<string>;
  /** The status with which a Pod responds to a token validation. */
  readonly check: (token: string, podIp: string) => Promise<number>;
  /** A local port that is forwarded to a port of a Service. */
  readonly serviceAt: (name: string, port: number) => Promise<number>;
  /** Diagnosis of a failed installation: the Pods that are not Ready, with their last log lines. */
  readonly whatIsWrong: () => Promise<string>;
}

export function openstackOf(stage: () => Aio): Openstack {
  const kubectl = (...args: string[]) => stage().node.kubectl(['--namespace', NAMESPACE, ...args]);
  const pods: Openstack['pods'] = async (chart) => {
    const selector = chart === undefined ? '' : `?labelSelector=app.kubernetes.io/name=${chart}`;
    const found = await stage().node.get(`/api/v1/namespaces/${NAMESPACE}/pods${selector}`);
    assert.ok(found !== undefined, 'the API server lists no Pods');
    const { items } = JSON.parse(found) as { items: PodState[] };
    return items.filter(({ metadata }) => metadata.labels['batch.kubernetes.io/job-name'] === undefined);
  };
  const serviceAt = async (name: string, port: number) => {
    const address = await kubectl('get', `service/${name}`, '--output=jsonpath={.spec.clusterIP}');
    return await stage().node.reach(port, address.trim());
  };
  let password: string | undefined;
  let port: number | undefined;
  let earlier: string | undefined;
  const issued = async (by: Identity) => {
    port ??= await serviceAt('keystone', 5000);
    const { status, token: given, body } = await issueToken(port, by);
    assert.equal(status, 201, body);
    return given;
  };
  const token = async () => {
    password ??= await passwordOf(stage().directory, 'keystone_admin_password');
    return await issued({ password });
  };
  return {
    kubectl,
    pods,
    serviceAt,
    exec: (pod, container, script) => kubectl('exec', pod, `--container=${container}`, '--', 'bash', '-c', script),
    sql: async (statements) => {
      const root = await passwordOf(stage().directory, 'database_password');
      const words = ['mariadb', '--host=127.0.0.1', '--user=root', `--password=${root}`, `--execute=${statements}`];
      return await kubectl('exec', 'mariadb-0', '--container=mariadb', '--', ...words);
    },
    async allReady() {
      const text = await kubectl('get', 'deployments,statefulsets', '--output=json');
      const { items } = JSON.parse(text) as { items: WorkloadState[] };
      // `rollout status` watches instead of polling, which leaves the CPUs to the Pods that are starting.
      for (const { kind, metadata } of items) await kubectl('rollout', 'status', `${kind}/${metadata.name}`);
      // Pods that a controller has yet to create are not listed.
      const wanted = items.reduce((sum, { spec }) => sum + spec.replicas, 0);
      const ready = async (saw: (value: unknown) => void) => {
        // An evicted or killed Pod stays in phase Failed next to its replacement.
        const all = (await pods()).filter(({ status }) => !['Failed', 'Succeeded'].includes(status.phase));
        const unready = all.filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name);
        saw(`${all.length} Pods of ${wanted}; not Ready: ${unready.join(', ')}`);
        return (all.length === wanted && unready.length === 0) || undefined;
      };
      await until('all Pods to be Ready', ready);
    },
    token,
    async renewed() {
      earlier ??= await token();
      return await issued({ token: earlier });
    },
    async check(given, podIp) {
      const own = await stage().node.reach(5000, podIp);
      const reply = await fetch(`http://127.0.0.1:${own}/v3/auth/tokens`, {
        headers: { 'x-auth-token': given, 'x-subject-token': given, connection: 'close' },
      });
      return reply.status;
    },
    async whatIsWrong() {
      const parts = [await kubectl('get', 'pods,jobs')];
      for (const chart of CHARTS)
        parts.push(
          await readFile(join(stage().directory, `${chart}.log`), 'utf8').catch(
            () => `${chart}: no helm install was started`,
          ),
        );
      for (const pod of (await pods()).filter((each) => !isReady(each)).slice(0, 3))
        parts.push(await kubectl('logs', pod.metadata.name, '--all-containers', '--tail=5').catch(String));
      return parts.join('\n');
    },
  };
}

export function isReady(pod: PodState): boolean {
  return readySince(pod) !== '' && pod.metadata.deletionTimestamp === undefined;
}

/** When a Pod became Ready; '' while it is not Ready. */
export function readySince({ status }: PodState): string {
  const ready = status.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True');
  return ready?.lastTransitionTime ?? '';
}

/** How often each container was restarted, by Pod name. */
export function restarts(pods: readonly PodState[]): Record<string, number> {
  const count = ({ status }: PodState) =>
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].reduce(
      (sum, { restartCount }) => sum + restartCount,
      0,
    );
  return Object.fromEntries(pods.map((pod) => [pod.metadata.name, count(pod)]));
}

/** A password from passwords.yml, which the commands of the quickstart create. */
export async function passwordOf(directory: string, name: string): Promise<string> {
  const text = await readFile(join(directory, 'passwords.yml'), 'utf8');
  const found = new RegExp(`^ *${name}: "(.*)"$`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`passwords.yml has no ${name}`);
  return found;
}
