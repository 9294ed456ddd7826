import assert from 'node:assert/strict';
import { temporary, temporaryServer, type Operation } from './operation.ts';

interface FloatingIp {
  readonly port_id: string | null;
  readonly fixed_ip_address: string | null;
  readonly floating_ip_address: string;
}

export const networks: Operation = {
  title: 'network, subnet, router with a gateway, security group, floating address of a server',
  async run(world) {
    const { client } = world;
    await using stack = new AsyncDisposableStack();
    const outside = stack.use(await temporary(client, 'network', 'outside', '--external'));
    const noDhcp = ['--no-dhcp', '--subnet-range', '172.24.4.0/24'];
    stack.use(await temporary(client, 'subnet', 'outside', '--network', outside.id, ...noDhcp));
    const network = stack.use(await temporary(client, 'network', 'inside'));
    const range = ['--subnet-range', '10.8.0.0/24'];
    const subnet = stack.use(await temporary(client, 'subnet', 'inside', '--network', network.id, ...range));
    const router = stack.use(await temporary(client, 'router', 'between'));
    await client.openstack('router', 'set', '--external-gateway', outside.id, router.id);
    await client.openstack('router', 'add', 'subnet', router.id, subnet.id);
    stack.defer(async () => {
      await client.openstack('router', 'remove', 'subnet', router.id, subnet.id);
      await client.openstack('router', 'unset', '--external-gateway', router.id);
    });
    const group = stack.use(await temporary(client, 'securityGroup', 'ssh'));
    await client.openstack('security', 'group', 'rule', 'create', '--proto', 'tcp', '--dst-port', '22', group.id);
    const port = stack.use(
      await temporary(client, 'port', 'inside', '--network', network.id, '--security-group', group.id),
    );
    stack.use(await temporaryServer(world, 'reached', '--port', port.id));
    const floating = stack.use(await temporary(client, 'floatingIp', outside.id, '--port', port.id));
    const found = (await client.get<{ floatingip: FloatingIp }>('neutron', `/floatingips/${floating.id}`))?.floatingip;
    assert.equal(found?.port_id, port.id);
    const { port: fixed } =
      (await client.get<{ port: { fixed_ips: { ip_address: string }[] } }>('neutron', `/ports/${port.id}`)) ??
      assert.fail('the port is gone');
    assert.equal(found.fixed_ip_address, fixed.fixed_ips[0]?.ip_address);
    return `${found.floating_ip_address} → ${found.fixed_ip_address}`;
  },
};
