/** Each kind of object for which kolla-init waits: its creation, its ready state, and the messages in between. */
import type { Cluster } from '../cluster/kubernetes/index.ts';
import { endPodsOf } from '../cluster/kubernetes/index.ts';
import { namespaceName } from '../support/names.ts';
import { until } from '../support/until.ts';
import {
  apps,
  batch,
  core,
  daemon,
  definition,
  endpoints,
  migrationLease,
  podSpec,
  replicated,
  slice,
} from './objects.ts';

export const NAMESPACE = namespaceName('openstack');
/** The Pod and the node that kolla-init considers to be its own. */
export const OWN_POD = 'own';
export const OWN_NODE = namespaceName('compute');
const [STORAGE, NETWORK] = [namespaceName('storage'), namespaceName('network')];

export interface ObjectCase {
  /** The name of the row. */
  readonly kind: string;
  readonly wait: string;
  /** Resources that a ServiceAccount without permissions cannot read. */
  readonly resource: string;
  /** Creates the object, which is not yet ready. */
  create(): Promise<unknown>;
  /** The message while it is not ready. */
  readonly notYet: RegExp;
  remove(): Promise<unknown>;
  /** The message after remove(). */
  readonly deleted?: RegExp;
  readonly absent: RegExp;
  meet(): Promise<unknown>;
  readonly met: RegExp;
}

/** The cases for this cluster. They are created and removed repeatedly. */
export function objectCases(cluster: Cluster): ObjectCase[] {
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const apply = (object: object) =>
    cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', '--filename=-'], JSON.stringify(object));
  const remove = (...what: string[]) => kubectl('delete', ...what, '--force', '--grace-period=0', '--wait=true');
  const status = (what: string, value: object) =>
    kubectl('patch', what, '--subresource=status', '--type=merge', '--patch', JSON.stringify({ status: value }));
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const podsReady = async (selector: string) => {
    const names = await until(`a Pod with ${selector}`, async () => {
      const found = await kubectl('get', 'pods', `--selector=${selector}`, '--output=name');
      return found.trim() === '' ? undefined : found.trim().split('\n');
    });
    await Promise.all(names.map((name) => status(name, ready)));
  };
  const pod = (name: string, labels: object = {}) => apply({ ...core('Pod', name, labels), spec: podSpec() });
  const daemonPod = async () => {
    const name = await until('the Pod of the DaemonSet', async () => {
      const found = await kubectl('get', 'pods', '--selector=app=agent', '--output=name');
      return found.trim() === '' ? undefined : found.trim().replace('pod/', '');
    });
    const target = { apiVersion: 'v1', kind: 'Node', name: OWN_NODE };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace: NAMESPACE }, target };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`;
    // There is no scheduler in this cluster.
    await cluster.kubectl(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(binding));
  };
  const rollout = (kind: 'Deployment' | 'StatefulSet', name: string, spec: object): ObjectCase => {
    const word = kind.toLowerCase();
    return {
      kind: word,
      wait: `${word}/${name}`,
      resource: `${word}s.apps`,
      create: () => apply({ ...apps(kind, name), spec }),
      notYet: /^(its controller has not seen|0 of 1 (updated|available))/,
      remove: () => remove(`${word}/${name}`),
      absent: new RegExp(`^no such ${kind}`),
      meet: () => podsReady(`app=${name}`),
      met: /1 of 1 available$/,
    };
  };
  const gone = /^deleted; waiting for another$/;
  return [
    {
      kind: 'job',
      wait: 'job/sync',
      resource: 'jobs.batch',
      create: () => apply({ ...batch('sync'), spec: { backoffLimit: 0, template: { spec: podSpec('Never') } } }),
      notYet: /^1 active$/,
      remove: () => remove('job/sync'),
      absent: new RegExp(`^no such Job in namespace ${NAMESPACE} yet$`),
      meet: () => endPodsOf(cluster, NAMESPACE, 'sync', 'Succeeded'),
      met: /Complete$/,
    },
    {
      kind: 'db-sync (Lease)',
      wait: 'db-sync/keystone',
      resource: 'leases.coordination.k8s.io',
      create: () => apply(migrationLease('keystone', 'running')),
      notYet: /^running \(expand\) of release 2026\.1$/,
      remove: () => remove('lease/kolla-db-sync-keystone'),
      absent: /^no such Lease kolla-db-sync-keystone in namespace/,
      meet: () => kubectl('annotate', '--overwrite', 'lease/kolla-db-sync-keystone', 'kolla-pod/ready-for=2026.1'),
      met: /ready for release 2026\.1$/,
    },
    {
      kind: 'service',
      wait: 'service/mariadb',
      resource: 'endpointslices.discovery.k8s.io',
      create: () => apply(slice('mariadb', false)),
      notYet: /^0 of 1 ready$/,
      remove: () => remove('endpointslice/mariadb-1'),
      absent: new RegExp(`^no EndpointSlice of Service mariadb in namespace ${NAMESPACE} yet$`),
      meet: () =>
        kubectl(
          'patch',
          'endpointslice/mariadb-1',
          '--type=merge',
          '--patch',
          JSON.stringify({ endpoints: endpoints(true) }),
        ),
      met: /1 of 1 ready$/,
    },
    {
      kind: 'pod',
      wait: 'pod/galera-0',
      resource: 'pods',
      create: () => pod('galera-0'),
      notYet: /^Pending$/,
      remove: () => remove('pod/galera-0'),
      absent: new RegExp(`^no such Pod in namespace ${NAMESPACE} yet$`),
      meet: () => status('pod/galera-0', ready),
      met: /Ready$/,
    },
    {
      kind: 'pod by labels',
      wait: 'pod?label=app=ovs&label=!old',
      resource: 'pods',
      create: () => pod('ovs-x', { app: 'ovs' }),
      notYet: /^0 of 1; ovs-x: Pending$/,
      remove: () => remove('pod/ovs-x'),
      absent: new RegExp(`^no such Pod in namespace ${NAMESPACE} yet$`),
      meet: () => status('pod/ovs-x', ready),
      met: /ovs-x: Ready$/,
    },
    {
      kind: 'container',
      wait: 'container/sidecar',
      resource: 'pods',
      create: () =>
        apply({
          ...core('Pod', OWN_POD),
          spec: {
            ...podSpec(),
            initContainers: [{ name: 'sidecar', image: 'none.test/s:1', restartPolicy: 'Always' }],
          },
        }),
      notYet: /^not started yet$/,
      remove: () => remove(`pod/${OWN_POD}`),
      absent: /^no Pod own /,
      meet: () =>
        status(`pod/${OWN_POD}`, {
          initContainerStatuses: [
            {
              name: 'sidecar',
              ready: true,
              restartCount: 0,
              image: 'none.test/s:1',
              imageID: '',
              started: true,
              state: { running: {} },
            },
          ],
        }),
      met: /ready$/,
    },
    rollout('Deployment', 'api', replicated('api')),
    rollout('StatefulSet', 'rabbitmq', { ...replicated('rabbitmq'), serviceName: 'rabbitmq' }),
    {
      kind: 'daemonset',
      wait: 'daemonset/agent',
      resource: 'daemonsets.apps',
      create: () => apply({ ...apps('DaemonSet', 'agent'), spec: daemon('agent', { own: OWN_NODE }) }),
      notYet: new RegExp(`^none of its Pods is on node ${OWN_NODE}$`),
      remove: () => remove('daemonset/agent'),
      absent: new RegExp(`^no such DaemonSet in namespace ${NAMESPACE} yet$`),
      async meet() {
        await daemonPod();
        await podsReady('app=agent');
      },
      met: new RegExp(`its Pod on node ${OWN_NODE} is ready$`),
    },
    {
      kind: 'node',
      wait: `node/${STORAGE}`,
      resource: 'nodes',
      create: () => apply(core('Node', STORAGE)),
      notYet: /^Ready=/,
      remove: () => remove(`node/${STORAGE}`),
      absent: /^no such Node yet$/,
      meet: () => status(`node/${STORAGE}`, { conditions: [{ type: 'Ready', status: 'True' }] }),
      met: /Ready$/,
    },
    {
      kind: 'node by labels',
      wait: `node?label=role=${NETWORK}`,
      resource: 'nodes',
      create: () => apply(core('Node', NETWORK, { role: NETWORK })),
      notYet: new RegExp(`^0 of 1; ${NETWORK}: Ready=`),
      remove: () => remove(`node/${NETWORK}`),
      absent: /^no such Node yet$/,
      meet: () => status(`node/${NETWORK}`, { conditions: [{ type: 'Ready', status: 'True' }] }),
      met: new RegExp(`${NETWORK}: Ready$`),
    },
    {
      kind: 'configmap',
      wait: 'configmap/bin?jsonpath={.data.ready}=yes',
      resource: 'configmaps',
      create: () => apply({ ...core('ConfigMap', 'bin'), data: { ready: 'no' } }),
      notYet: /^\{\.data\.ready\}=no$/,
      remove: () => remove('configmap/bin'),
      absent: /^no such ConfigMap/,
      meet: () => kubectl('patch', 'configmap/bin', '--type=merge', '--patch={"data":{"ready":"yes"}}'),
      met: /\{\.data\.ready\}=yes$/,
    },
    {
      kind: 'secret',
      wait: 'secret/tls?release=2026.1',
      resource: 'secrets',
      create: () => apply({ ...core('Secret', 'tls', { 'app.kubernetes.io/version': '2025.2' }) }),
      notYet: /^of release 2025\.2, not 2026\.1$/,
      remove: () => remove('secret/tls'),
      absent: /^no such Secret/,
      meet: () => kubectl('annotate', 'secret/tls', 'kolla-pod/release=2026.1'),
      met: /is there$/,
    },
    {
      kind: 'any: condition=',
      wait: 'widgets.example.org/gate?condition=Open',
      resource: 'widgets.example.org',
      create: () => apply({ apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'gate' } }),
      notYet: /^no condition Open yet$/,
      remove: () => remove('widget/gate'),
      absent: new RegExp(`^no such Widget in namespace ${NAMESPACE} yet$`),
      meet: () => status('widget/gate', { conditions: [{ type: 'Open', status: 'True', reason: 'Unlocked' }] }),
      met: /Open=True \(Unlocked\)$/,
    },
    {
      kind: 'any: jsonpath=',
      wait: 'pvc/data?jsonpath={.status.phase}=Bound',
      resource: 'persistentvolumeclaims',
      create: () =>
        apply({
          ...core('PersistentVolumeClaim', 'data'),
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      notYet: /^\{\.status\.phase\}=Pending$/,
      async remove() {
        await kubectl('patch', 'pvc/data', '--type=merge', '--patch={"metadata":{"finalizers":null}}');
        await remove('pvc/data');
      },
      absent: /^no such PersistentVolumeClaim/,
      meet: () => status('pvc/data', { phase: 'Bound' }),
      met: /\{\.status\.phase\}=Bound$/,
    },
  ].map((each) => ({ deleted: gone, ...each }));
}

/** What the whole cluster needs: our own node, and a custom resource. */
export async function prepare(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['create', '--filename=-'], JSON.stringify(core('Node', OWN_NODE, { own: OWN_NODE })));
  // Another test file may be creating the same object.
  const widget = JSON.stringify(definition('widget', 'Widget', 'example.org'));
  await cluster.kubectl(['apply', '--server-side', '--filename=-'], widget);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd/widgets.example.org', '--timeout=-1s']);
  await until('the namespace to have its ServiceAccount', async () => {
    const found = await cluster.kubectl([`--namespace=${NAMESPACE}`, 'get', 'serviceaccounts', '--output=name']);
    return found.includes('default') || undefined;
  });
}
