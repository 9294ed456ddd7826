import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { runHelper } from '../support/helper.ts';

const EXAMPLE = fileURLToPath(new URL('../../k8s/examples/keystone/rbac.yaml', import.meta.url));

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly object[];
  readonly subjects?: readonly object[];
}

const printed = async (...args: string[]) => await runHelper('kolla-db-sync', ['rbac', 'keystone', ...args]);

test('the Role limits everything but create to the one Lease, and the binding names the ServiceAccount', async () => {
  const { stdout } = await printed('-n', 'openstack', '--service-account', 'migrator');
  const [role, binding] = loadAll(stdout) as Item[];
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  assert.deepEqual(role?.rules, [
    { ...leases, verbs: ['create'] },
    { ...leases, resourceNames: ['kolla-db-sync-keystone'], verbs: ['get', 'update', 'watch'] },
  ]);
  assert.equal(role?.metadata.namespace, 'openstack');
  assert.deepEqual(binding?.subjects, [{ kind: 'ServiceAccount', name: 'migrator', namespace: 'openstack' }]);
});

test('a Lease of another name has its own Role', async () => {
  const { stdout } = await printed('--lease-name', 'cell2', '--service-account', 'nova', '-o', 'json');
  const { items } = JSON.parse(stdout) as { items: Item[] };
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['kolla-db-sync-cell2-nova', 'kolla-db-sync-cell2-nova'],
  );
  assert.match(stdout, /"kolla-db-sync-cell2"/);
});

for (const [args, why] of [
  [['-n', 'Open_Stack'], /--namespace: 'Open_Stack' is not a valid Kubernetes name/],
  [['--service-account', 'a b'], /--service-account: 'a b' is not a valid Kubernetes name/],
  [[], /--service-account is missing: name the Pod's own/],
  [['--service-account', 'a', '--lease-name', 'A'], /--lease-name: 'A' is not a valid Kubernetes name/],
] as const) {
  test(`rejects ${args.join(' ')}`, async () => {
    const { code, stderr } = await printed(...args);
    assert.equal(code, 64);
    assert.match(stderr, why);
  });
}

test("the example's Role equals the output", async () => {
  const { stdout } = await printed('--service-account', 'keystone-db-sync');
  const [role] = loadAll(stdout) as Item[];
  const example = (loadAll(await readFile(EXAMPLE, 'utf8')) as Item[]).find(
    ({ kind, metadata }) => kind === 'Role' && metadata.name === role?.metadata.name,
  );
  assert.deepEqual(example?.rules, role?.rules);
});
