/** The admission policy of the operator, on a real API server, for users whom RBAC lets write our objects. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collectionPath, connectKube, objectPath, type KubeClient } from '../../src/kube/index.ts';
import { ownRef, ownSet, type Kind, type OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { isReady, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const POLICY = fileURLToPath(new URL('../../k8s/operator/policy.yaml', import.meta.url));
const { signal } = new AbortController();
const VALUES_FROM = [{ kind: 'Secret', name: 'other' }];

/** A user with all permissions on our objects, and on Pods if asked; nothing else. */
async function userOf({ cluster, namespace }: OperatorSite, name: string, mayCreatePods: boolean): Promise<KubeClient> {
  const role = ['create', 'role', name, `--namespace=${namespace}`];
  const ours = ['openstacks', 'openstackservices', 'openstackworkloads'].map((one) => `${one}.kolla-pod.io`);
  await cluster.kubectl(['create', 'serviceaccount', name, `--namespace=${namespace}`]);
  await cluster.kubectl([...role, '--verb=get,create,patch,delete', `--resource=${ours.join(',')}`]);
  const bind = ['create', 'rolebinding', `--namespace=${namespace}`, `--serviceaccount=${namespace}:${name}`];
  await cluster.kubectl([...bind, name, `--role=${name}`]);
  if (mayCreatePods) {
    await cluster.kubectl(['create', 'role', 'pods', `--namespace=${namespace}`, '--verb=create', '--resource=pods']);
    await cluster.kubectl([...bind, 'pods', '--role=pods']);
  }
  return await connectKube({ kind: 'kubeconfig', files: [await cluster.kubeconfigOf(namespace, name)] });
}

describe('the admission policy of kolla-operator', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  let [limited, trusted]: KubeClient[] = [];
  /** The operator's own. */
  let account: string;
  before(async () => {
    site = await operatorSite('policy', ['placement']);
    account = await site.account();
    [limited, trusted] = [await userOf(site, 'limited', false), await userOf(site, 'trusted', true)];
    await site.cluster.kubectl(['apply', '--server-side', '--filename', POLICY]);
    await until('the policy to be enforced', async () => {
      const refused = await create(
        limited!,
        'OpenStackService',
        'probe',
        { values: { objects: [] } },
        '?dryRun=All',
      ).then(
        () => undefined,
        (error: Error) => error.message,
      );
      return refused?.includes('permission to create Pods') === true ? true : undefined;
    });
  });
  after(async () => {
    for (const client of [limited, trusted]) client?.[Symbol.dispose]();
    await site?.[Symbol.asyncDispose]();
  });

  const logOf = async () => await readFile(join(site.directory, 'operator.log'), 'utf8');
  const create = async (client: KubeClient, kind: Kind, name: string, spec: object, query = '') => {
    const object = { apiVersion: 'kolla-pod.io/v1alpha1', kind, metadata: { name, namespace: site.namespace }, spec };
    await client.request('POST', collectionPath(ownSet(kind, site.namespace)) + query, object, { signal });
  };
  const patch = async (client: KubeClient, kind: Kind, name: string, spec: object) =>
    await client.request('PATCH', objectPath(ownRef(kind, site.namespace, name)), { spec }, { signal });

  const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
    'further objects': [{ values: { objects: [{ kind: 'ConfigMap' }] } }, /such as objects, rbac and images/],
    'further rules for its accounts': [{ values: { rbac: { rules: [{ verbs: ['*'] }] } } }, /such as objects, rbac/],
    'another image': [{ values: { global: { registry: 'registry.test' } } }, /such as objects, rbac and images/],
    'other containers': [{ values: { workloads: { api: { extraContainers: [{}] } } } }, /other than workloads\.NAME/],
    'values of all workloads': [{ values: { workloadDefaults: { command: 'id' } } }, /other than workloads\.NAME/],
    'a template in a value': [
      { values: { workloads: { api: { nodeSelector: { a: ['x', { b: 'x {{ .Release.Name }}' }] } } } } },
      /a template in values needs the permission to create Pods/,
    ],
    'a template in a key': [
      { values: { workloads: { '{{ .Release.Name }}': { replicas: 1 } } } },
      /a template in values needs the permission to create Pods/,
    ],
    "another user's Secret as values": [{ valuesFrom: VALUES_FROM }, /valuesFrom, registry and storageClass need/],
  };
  for (const [what, [spec, why]] of Object.entries(refused)) {
    test(`a user who may not create Pods may not set ${what}, in a service or in a cloud`, async () => {
      const { values, ...rest } = spec as { values?: object };
      const cloud = { release: '2025.1', services: { keystone: {} } };
      await assert.rejects(create(limited!, 'OpenStackService', 'keystone', spec), why);
      await assert.rejects(create(limited!, 'OpenStack', 'cloud', { ...cloud, ...spec }), why);
      const services = { keystone: values === undefined ? {} : { values } };
      await assert.rejects(create(limited!, 'OpenStack', 'cloud', { ...cloud, ...rest, services }), why);
      for (const kind of ['OpenStackService', 'OpenStack'] as const)
        await create(trusted!, kind, 'dry', { ...(kind === 'OpenStack' ? cloud : {}), ...spec }, '?dryRun=All');
    });
  }

  test('a registry and a storage class with a template are refused like values', async () => {
    const cloud = { release: '2025.1', services: { keystone: {} } };
    for (const field of ['registry', 'storageClass'])
      await assert.rejects(
        create(limited!, 'OpenStack', 'cloud', { ...cloud, [field]: '{{ fail "x" }}' }),
        /valuesFrom, registry and storageClass need/,
      );
  });

  test('a user who may not create Pods may upgrade, suspend and size what others have described', async () => {
    const values = { objects: ['{{ .Release.Name }}'] };
    const spec = { release: '2025.1', values, valuesFrom: VALUES_FROM };
    await create(trusted!, 'OpenStackService', 'glance', spec);
    await patch(limited!, 'OpenStackService', 'glance', { release: '2025.2', suspend: true });
    const services = { keystone: { values }, glance: {} };
    await create(trusted!, 'OpenStack', 'cloud', { ...spec, registry: 'registry.test', services });
    const sized = { values: { workloads: { api: { replicas: 3, resources: { limits: { memory: '1Gi' } } } } } };
    await patch(limited!, 'OpenStack', 'cloud', { release: '2025.2', services: { glance: sized } });
    await create(limited!, 'OpenStackService', 'placement', { release: '2025.1', ...sized });
  });

  test('and may not change their values', async () => {
    const why = /needs? the permission to create Pods/;
    for (const kind of ['OpenStackService', 'OpenStack'] as const) {
      const name = kind === 'OpenStack' ? 'cloud' : 'glance';
      await assert.rejects(patch(limited!, kind, name, { values: { objects: ['{{ fail "x" }}'] } }), why);
      await assert.rejects(patch(limited!, kind, name, { values: { settings: { debug: true } } }), why);
      await assert.rejects(patch(limited!, kind, name, { valuesFrom: [{ kind: 'Secret', name: 'third' }] }), why);
      for (const field of ['values', 'valuesFrom'])
        await assert.rejects(patch(limited!, kind, name, { [field]: null }), why, `${kind} without ${field}`);
      const sized = { workloads: { api: { replicas: 1 } } };
      await assert.rejects(patch(limited!, kind, name, { values: { ...sized, objects: null } }), why);
    }
    await assert.rejects(patch(limited!, 'OpenStack', 'cloud', { registry: null }), why);
    await assert.rejects(patch(limited!, 'OpenStack', 'cloud', { services: { keystone: { values: null } } }), why);
    await assert.rejects(patch(limited!, 'OpenStack', 'cloud', { services: { keystone: null } }), why);
    await patch(limited!, 'OpenStack', 'cloud', { services: { glance: { values: null } } });
    const services = { keystone: { values: { objects: ['{{ fail "x" }}'] } } };
    await assert.rejects(patch(limited!, 'OpenStack', 'cloud', { services }), why);
  });

  test("the operator's own account applies the values of a cloud", async () => {
    await using operator = await site.operator([], account);
    const services = { placement: { values: { replicas: 2 } } };
    await site.request('DELETE', objectPath(ownRef('OpenStackService', site.namespace, 'placement')));
    await create(trusted!, 'OpenStack', 'own', { release: '2025.1', services });
    const is = ({ spec, ...service }: OpenStackService) =>
      isReady({ spec, ...service }) && spec.values?.['replicas'] === 2;
    await site.seen<OpenStackService>('OpenStackService', 'placement', 'ready with its values', is);
    assert.doesNotMatch(await logOf(), /ValidatingAdmissionPolicy/);
    await operator.stop();
  });

  test('without the policy, or with a binding that only warns, the operator says so on its start', async () => {
    const binding = 'validatingadmissionpolicybinding/kolla-operator';
    await site.cluster.kubectl(['patch', binding, '--type=merge', '--patch={"spec":{"validationActions":["Warn"]}}']);
    const events = { group: 'events.k8s.io', version: 'v1', resource: 'events', namespace: site.namespace };
    const warnings = async () => {
      const path = collectionPath(events);
      const { items } = await site.request<{ items: { reason: string; regarding: { kind: string } }[] }>('GET', path);
      return items.filter(({ reason: each }) => each === 'NoAdmissionPolicy');
    };
    const said = async (what: RegExp) => {
      const earlier = (await warnings()).length;
      await using operator = await site.operator([], account);
      await until(`the operator to say ${String(what)}`, async () => (what.test(await logOf()) ? true : undefined));
      // It is logged before the Event is created.
      await until('its Event', async () => (await warnings()).length > earlier || undefined);
      await operator.stop();
    };
    await said(/the binding of ValidatingAdmissionPolicy kolla-operator does not deny, .*policy\.yaml/);
    await site.cluster.kubectl(['delete', '--filename', POLICY]);
    await said(/ValidatingAdmissionPolicy kolla-operator or its binding is not installed, .*policy\.yaml/);
    const ours = await warnings();
    assert.ok(ours.length >= 2, 'one per start');
    assert.deepEqual([...new Set(ours.map(({ regarding }) => regarding.kind))], ['OpenStack']);
  });
});
