import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument, type Document } from '../../../src/config/read/schema.ts';
import { kollaAccounts } from '../../../src/config/volumes/kolla-accounts.ts';
import { choosePodUser } from '../../../src/config/volumes/user.ts';

function documentOf(
  owners: readonly string[],
  command = '/usr/bin/nova-api --config-file /etc/nova/nova.conf',
): Document {
  const source = '/var/lib/kolla/config_files/a';
  const config_files = owners.map((owner) => ({ source, dest: '/etc/a', owner, perm: '0600' }));
  const document = parseDocument({ command, config_files });
  if ('problems' in document) throw new Error(String(document.problems));
  return document;
}

const choose = (owners: readonly string[], asked?: string, command?: string) =>
  choosePodUser(documentOf(owners, command), kollaAccounts(), asked);

test('the most frequent owner is chosen, and root does not count', () => {
  assert.equal(choose(['root', 'root', 'root', 'cinder', 'nova', 'nova:kolla']).user?.uid, 42_436);
});

test('of equally frequent owners the first is chosen', () => {
  assert.equal(choose(['glance', 'nova']).user?.name, 'glance');
});

test("the command's program decides if only root is named", () => {
  assert.equal(choose([], undefined, '/usr/bin/memcached -v').user?.name, 'memcached');
  assert.equal(choose(['root'], undefined, 'haproxy -W').user?.name, 'haproxy');
});

test('if no user can be chosen, the error has the fix', () => {
  assert.match(choose([]).problem ?? '', /no owner, .* --user NAME/);
  assert.match(choose(['root']).problem ?? '', /no owner but root, .* --user NAME/);
});

for (const path of ['/var/log/kolla', '/var/log/kolla/'])
  test(`the owner of ${path}, which all containers share, does not count`, () => {
    const logs = { path, owner: 'fluentd:kolla', perm: 0o775, recurse: false };
    for (const section of ['permissions', 'directories']) {
      const { problem } = choosePodUser({ ...documentOf(['root']), [section]: [logs] }, kollaAccounts(), undefined);
      assert.match(problem ?? '', /no owner but root \(that of \/var\/log\/kolla, .*\), .* --user NAME/);
    }
    const own = { ...documentOf(['root', 'nova']), permissions: [logs, logs, { ...logs, path: `${path}/nova` }] };
    assert.equal(choosePodUser(own, kollaAccounts(), undefined).user?.name, 'nova');
  });

test('the requested user is used, by name or number', () => {
  assert.deepEqual(choose(['nova'], 'cinder').user?.uid, 42_407);
  const { user } = choose(['nova'], '1000:1001');
  assert.deepEqual([user?.name, user?.uid, user?.gid], [undefined, 1000, 1001]);
  assert.deepEqual([choose([], '42436').user?.name, choose([], '42436').user?.gid], ['nova', 42_436]);
});

test('root and unknown users are rejected, the latter with the nearest name', () => {
  assert.match(choose(['nova'], 'root').problem ?? '', /root.*--user NAME/);
  assert.match(choose(['nova'], '0').problem ?? '', /root.*--user NAME/);
  assert.match(choose(['nova'], 'nvoa').problem ?? '', /did you mean 'nova'\?/);
});

test('a group of an entry is added to the Pod, except for root, kolla and its own', () => {
  const { user } = choose(['nova:kolla', 'nova:root', 'nova:qemu', 'nova:nova', 'nova:libvirt', 'libvirt']);
  assert.deepEqual(user?.supplementalGroups, [42_427, 42_473]);
  assert.deepEqual(user?.groups, [42_436, 42_400, 42_427, 42_473]);
});

test("a primary group whose name differs from the user's is found", () => {
  assert.equal(choose(['hacluster:haclient']).user?.gid, 42_486);
});
