/** The state of the cluster while kubernetes-entrypoint and its drop-in run. It does not change meanwhile. */
import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { endPodsOf, type Cluster } from '../cluster/kubernetes/index.ts';
import { namespaceName } from '../support/names.ts';
import { until } from '../support/until.ts';
import { NAMESPACE, OWN_NODE, OWN_POD } from './waits-objects.ts';
import { podSpec } from './objects.ts';

const OTHER_NODE = namespaceName('compute');
const HOSTS: Readonly<Record<string, string>> = { [OWN_NODE]: '10.0.0.1', [OTHER_NODE]: '10.0.0.2' };

const PAGE = new URL('../../docs/how-to/migration-kubernetes-entrypoint.md', import.meta.url);

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly object[];
}

/** The Roles from the documentation: `entry` without watch, `watcher` with it. */
async function rolesOfThePage(): Promise<Role[]> {
  const blocks = (await readFile(PAGE, 'utf8')).matchAll(/```yaml\n([^]*?)```/g);
  return [...blocks].map(([, text]) => load(text ?? '') as Role).filter(({ kind }) => kind === 'Role');
}

export const ACCOUNTS = ['entry', 'watcher', 'old', 'nobody'] as const;

/** Fills the namespace after prepare(). Its ServiceAccounts are ACCOUNTS. */
export async function makeWorld(cluster: Cluster): Promise<void> {
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (...items: object[]) =>
    cluster.kubectl(
      [`--namespace=${NAMESPACE}`, 'create', '--filename=-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  const status = (what: string, value: object) =>
    kubectl('patch', what, '--subresource=status', '--type=merge', '--patch', JSON.stringify({ status: value }));
  const bind = async (name: string, node: string) => {
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace: NAMESPACE }, target };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`;
    await cluster.kubectl(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(binding));
  };
  const running = async (name: string, node: string, isReady: boolean, more: object = {}) => {
    await bind(name, node);
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    await status(`pod/${name}`, { phase: 'Running', hostIP: HOSTS[node], conditions, ...more });
  };

  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' };
  const bound = (account: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: account },
    roleRef: { ...roleRef, name: account },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
  });
  const roles = await rolesOfThePage();
  const customResources = [{ apiGroups: ['example.org', ''], resources: ['widgets', 'configmaps'], verbs: ['get'] }];
  const onlyGet = [{ apiGroups: ['', 'batch'], resources: ['endpoints', 'jobs'], verbs: ['get'] }];
  await create(
    ...ACCOUNTS.map((name) => core('ServiceAccount', name)),
    ...roles.map((role) => ({ ...role, rules: [...role.rules, ...customResources] })),
    { ...roles[0], metadata: { name: 'old' }, rules: onlyGet },
    ...['entry', 'watcher', 'old'].map(bound),
    core('Node', OTHER_NODE),
    core('ConfigMap', 'bin'),
    { ...core('Pod', OWN_POD), spec: ownSpec() },
    ...['up', 'down', 'far', 'ending'].map((name) => pod(name)),
    ...['done', 'active', 'failed', 'both-1', 'both-2'].map((name) => job(name)),
    job('one-of-two', { completions: 2, parallelism: 2 }),
    job('suspended', { suspend: true }),
    slice('ready', { ready: true }),
    slice('said-nothing', {}),
    slice('not-ready', { ready: false }),
    slice('ending', { ready: true, terminating: true }),
    { ...core('Service', 'by-hand'), spec: { ports: [{ port: 80 }] } },
    { ...core('Endpoints', 'by-hand'), subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }] },
    ...['agent', 'agent-down'].map((name) => daemonset(name, OWN_NODE)),
    daemonset('agent-elsewhere', 'none'),
    { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'gate' }, spec: { phase: 'Done', size: 3 } },
  );
  await status('widget/gate', { conditions: [{ type: 'Open', status: 'True' }] });
  const containers = ['main', 'second'].map((name) => containerStatus(name, name === 'main'));
  const sidecars = [containerStatus('sidecar', true)];
  await running(OWN_POD, OWN_NODE, false, { containerStatuses: containers, initContainerStatuses: sidecars });
  await running('up', OWN_NODE, true);
  await running('down', OWN_NODE, false);
  await running('far', OTHER_NODE, true);
  await running('ending', OWN_NODE, true);
  await kubectl('delete', 'pod/ending', '--wait=false');
  for (const name of ['done', 'both-1']) await endPodsOf(cluster, NAMESPACE, name, 'Succeeded');
  await endPodsOf(cluster, NAMESPACE, 'failed', 'Failed');
  const podsOf = async (selector: string, count: number) =>
    await until(`Pods with ${selector}`, async () => {
      const names = (await kubectl('get', 'pods', `--selector=${selector}`, '--output=name')).trim().split('\n');
      return names.filter(Boolean).length >= count ? names : undefined;
    });
  const [first = ''] = await podsOf('batch.kubernetes.io/job-name=one-of-two', 2);
  await status(first, { phase: 'Succeeded' });
  for (const name of ['agent', 'agent-down']) {
    const [own = ''] = await podsOf(`app=${name}`, 1);
    await running(own.replace('pod/', ''), OWN_NODE, name === 'agent');
  }
  await kubectl('wait', '--for=condition=Complete', 'job/done', 'job/both-1', '--timeout=-1s');
  await kubectl('wait', '--for=condition=Failed', 'job/failed', '--timeout=-1s');
  await kubectl('wait', '--for=jsonpath={.status.succeeded}=1', 'job/one-of-two', '--timeout=-1s');
  await kubectl(
    'wait',
    '--for=create',
    'endpointslice',
    '--selector=kubernetes.io/service-name=by-hand',
    '--timeout=-1s',
  );
}

function core(kind: string, name: string, metadata: object = {}) {
  return { apiVersion: 'v1', kind, metadata: { name, ...metadata } };
}

/** A Pod that, once deleted, stays terminating for the rest of the test, because of its finalizer. */
function pod(name: string) {
  return { ...core('Pod', name, { labels: { app: name }, finalizers: ['example.org/stay'] }), spec: podSpec() };
}

function ownSpec() {
  const image = 'none.test/c:1';
  return {
    containers: ['main', 'second'].map((name) => ({ name, image })),
    initContainers: [{ name: 'sidecar', image, restartPolicy: 'Always' }],
  };
}

function containerStatus(name: string, ready: boolean) {
  return { name, ready, started: true, restartCount: 0, image: '', imageID: '', state: { running: {} } };
}

function job(name: string, more: object = {}) {
  const labels = { group: name.startsWith('both') ? 'both' : name };
  const spec = { backoffLimit: 0, template: { spec: podSpec('Never') }, ...more };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, labels }, spec };
}

function daemonset(app: string, own: string) {
  const template = { metadata: { labels: { app } }, spec: { ...podSpec(), nodeSelector: { own } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: app },
    spec: { selector: { matchLabels: { app } }, template },
  };
}

function slice(service: string, conditions: object) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
    endpoints: [{ addresses: ['10.9.9.9'], conditions }],
  };
}
