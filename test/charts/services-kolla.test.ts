import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { canHaveKollaAnsible, deployedContainers } from '../contract/kolla-ansible.ts';
import { configJsonOf, containerOf, filesOf, keyOf, mainOf, SERVICE_CHARTS, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

/** Charts whose command differs from kolla-ansible's, with the reason. */
const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  // kolla-ansible's script adds a TCP port without a login; ours uses only a socket.
  // It leaves the Pod's cgroup first, then executes libvirtd.
  nova_libvirt: 'bash -e /etc/libvirt/libvirtd.sh',
  // kolla-ansible's wrapper removes the namespaces of running routers first.
  neutron_l3_agent: 'neutron-l3-agent --config-file /etc/neutron/neutron.conf --config-file /etc/neutron/l3_agent.ini',
  // The image's extend script, which generates the static files, writes into the image.
  horizon: 'bash /etc/horizon/horizon-start.sh',
};

describe(
  'Pods run the same commands as kolla-ansible',
  { skip: (await canRunHelm()) ?? (await canHaveKollaAnsible()) ?? false },
  async () => {
    const deployed = await deployedContainers([
      // kolla-ansible deploys nova-compute with the role nova-cell.
      ...SERVICE_CHARTS.filter((chart) => chart !== 'nova-compute'),
      'openvswitch',
    ]);

    for (const chart of SERVICE_CHARTS)
      test(`${chart}: image and command of each container`, async () => {
        await using helm = await rendering(chart);
        const rendered = await helm.render({ global: { registry: 'registry.test', tag: 'one' } });
        for (const workload of workloadsOf(rendered)) {
          const container = containerOf(chart, keyOf(workload));
          const kolla = deployed.find(({ name }) => name === container);
          assert.ok(kolla, `kolla-ansible has no ${container}`);
          assert.equal(mainOf(workload).image, `registry.test/${kolla.image}:one`);
          const { command } = configJsonOf(filesOf(rendered, workload));
          assert.equal(command, OTHER_COMMANDS[container] ?? kolla.command, container);
        }
      });

    test('each exception still applies', () => {
      for (const [container, command] of Object.entries(OTHER_COMMANDS)) {
        const kolla = deployed.find(({ name }) => name === container);
        assert.ok(kolla, `kolla-ansible has no ${container}`);
        assert.notEqual(kolla.command, command);
      }
    });
  },
);
