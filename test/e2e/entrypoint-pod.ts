import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { TESTBOX_IMAGE, type KubeNode } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';

const PAGE = new URL('../../docs/how-to/migration-kubernetes-entrypoint.md', import.meta.url);
/** The namespace on the documentation page. */
const NAMESPACE = 'openstack';

/**
 * Runs a Pod with the migrated init container from docs/how-to/migration-kubernetes-entrypoint.md, with the page's
 * Role and only the image substituted; then creates its dependencies one by one.
 * @returns the init container's log, once the Pod is Ready
 */
export async function runEntrypointPod(node: KubeNode, image: string): Promise<string> {
  const kubectl = (args: readonly string[], input?: string) => node.kubectl(['--namespace', NAMESPACE, ...args], input);
  const create = (...items: object[]) =>
    kubectl(['create', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const blocks = [...(await readFile(PAGE, 'utf8')).matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text ?? '');
  const init = load(blocks[1]?.replace('image: IMAGE', `image: ${image}`) ?? '') as object;
  const role = load(blocks.find((text) => text.includes('kind: Role')) ?? '') as object;
  const main = { name: 'main', image: TESTBOX_IMAGE, args: ['pause'] };
  await node.kubectl(['create', 'namespace', NAMESPACE]);
  await create(
    core('ServiceAccount', 'waiter'),
    role,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'waiter' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'entry' },
      subjects: [{ kind: 'ServiceAccount', name: 'waiter', namespace: NAMESPACE }],
    },
    { ...core('Pod', 'keystone'), spec: { serviceAccountName: 'waiter', initContainers: [init], containers: [main] } },
  );
  const said = async () => await kubectl(['logs', 'keystone', '--container=init']).catch(() => '');
  await until('the init container to report the missing Job', async () => {
    return (await said()).includes('no such Job') || undefined;
  });
  await until('the default ServiceAccount', async () => {
    return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
  });
  await create(
    ...['mariadb', 'memcached'].flatMap((app) => [
      { ...core('Service', app), spec: { selector: { app }, ports: [{ port: 80, targetPort: 8080 }] } },
      { ...core('Pod', app, { app }), spec: { containers: [{ ...main, args: ['serve', ':8080'] }] } },
    ]),
    { ...core('Pod', 'ovs', { application: 'openvswitch' }), spec: { containers: [main] } },
    ...['keystone-db-sync', 'keystone-fernet-setup'].map((name) => {
      const containers = [{ ...main, args: ['cat', '/proc/self/status'] }];
      const template = { spec: { restartPolicy: 'Never', containers } };
      return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } };
    }),
  );
  await kubectl(['wait', '--for=condition=Ready', 'pod/keystone', '--timeout=-1s']);
  return await said();
}

function core(kind: string, name: string, labels: object = {}) {
  return { apiVersion: 'v1', kind, metadata: { name, labels } };
}
