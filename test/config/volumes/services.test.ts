import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, planOf } from './fixtures.ts';

/** Mounts that all services have. */
const ALWAYS = ['kolla:run/kolla at /run/kolla', 'tmp at /tmp', 'logs at /var/log/kolla'];

/** The user of each service, and the mounts of its container. */
const SERVICES: Readonly<Record<string, { readonly user: string; readonly mounts: readonly string[] }>> = {
  keystone: {
    user: 'keystone 42425',
    mounts: [
      'kolla:etc/keystone at /etc/keystone',
      'kolla:usr/bin/keystone-startup.sh at /usr/bin/keystone-startup.sh, restart',
      'kolla:var/lib/kolla/share at /var/lib/kolla/share',
    ],
  },
  'glance-api': {
    user: 'glance 42415',
    mounts: [
      'kolla:etc/ceph at /etc/ceph, restart',
      'kolla:etc/glance at /etc/glance',
      'var-lib-glance at /var/lib/glance',
      'kolla:var/lib/kolla/share at /var/lib/kolla/share',
    ],
  },
  'nova-api': {
    user: 'nova 42436',
    mounts: ['kolla:etc/nova at /etc/nova', 'kolla:var/lib/kolla/share at /var/lib/kolla/share'],
  },
  'nova-compute': {
    user: 'nova 42436',
    mounts: [
      'kolla:etc/ceph at /etc/ceph, restart',
      'kolla:etc/libvirt at /etc/libvirt',
      'kolla:etc/nova at /etc/nova',
      'var-lib-nova at /var/lib/nova',
    ],
  },
  'neutron-server': {
    user: 'neutron 42435',
    mounts: [
      'kolla:etc/neutron at /etc/neutron',
      'kolla:usr/share/neutron at /usr/share/neutron',
      'kolla:var/lib/kolla/share at /var/lib/kolla/share',
      'kolla:var/lib/neutron/.ssh at /var/lib/neutron/.ssh',
      'var-lib-neutron-kolla at /var/lib/neutron/kolla',
    ],
  },
  mariadb: {
    user: 'mysql 42434',
    mounts: [
      'kolla:etc/mariadb/certs at /etc/mariadb/certs',
      'kolla:etc/mysql at /etc/mysql',
      'var-lib-mysql at /var/lib/mysql',
    ],
  },
  rabbitmq: {
    user: 'rabbitmq 42439',
    mounts: ['kolla:etc/rabbitmq at /etc/rabbitmq', 'var-lib-rabbitmq at /var/lib/rabbitmq'],
  },
  haproxy: { user: 'haproxy 42454', mounts: ['kolla:etc/haproxy at /etc/haproxy'] },
  horizon: {
    user: 'horizon 42420',
    mounts: [
      'kolla:etc/apache2/conf-enabled at /etc/apache2/conf-enabled',
      'kolla:etc/openstack-dashboard at /etc/openstack-dashboard',
    ],
  },
  memcached: { user: 'memcached 42457', mounts: [] },
};

for (const [service, { user, mounts }] of Object.entries(SERVICES)) {
  test(`${service} runs as ${user}, and has exactly the mounts of its config.json`, async () => {
    const plan = await planOf(fixture(service));
    assert.deepEqual(plan.problems, []);
    assert.equal(`${plan.user?.name} ${plan.user?.uid}`, user);
    const said = plan.layout.places.map(({ volume, subPath, path, reload }) => {
      const from = subPath === undefined ? volume : `${volume}:${subPath}`;
      return `${from} at ${path}${reload === 'restart' ? ', restart' : ''}`;
    });
    assert.deepEqual(said.toSorted(), [...ALWAYS, ...mounts].toSorted());
  });
}
