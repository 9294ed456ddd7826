import assert from 'node:assert/strict';
import { stateOf } from '../client.ts';
import { temporary } from '../operations/operation.ts';
import { hostOf, otherThan } from '../operations/server-moves.ts';
import { COMPUTE_NODES } from '../stage.ts';
import { until } from '../../support/until.ts';
import { floatingTo } from './floating.ts';
import type { GuestOperation } from './operation.ts';
import { binds } from './binds.ts';
import { certificate } from './certificate.ts';
import { deletion } from './deletion.ts';
import { lostCompute } from './lost-compute.ts';
import { migrates } from './migrates.ts';
import { restarts } from './restarts.ts';
import { bootsFromVolume, volumes } from './volumes.ts';
import { consoleHas, consoleOf, ON_HOST, servedNetwork, temporaryGuest } from './world.ts';

const boots: GuestOperation = {
  title: 'a guest boots: address, metadata and user data on its console',
  async run(world) {
    const { client } = world;
    await client.write('/tmp/user-data', 'hello from user data\n');
    await using guest = await temporaryGuest(world, 'first', '--user-data', '/tmp/user-data');
    const text = await consoleOf(client, guest.id);
    assert.match(text, / metadata hostname first\b/);
    assert.match(text, / user-data hello from user data$/m);
    assert.match(text, new RegExp(` lease ${guest.address.replaceAll('.', '\\.')}/24 .* mtu 1450 `));
    return /guest: ([\d.]+) ready/.exec(text)?.[1]?.concat(' s after its kernel') ?? '';
  },
};

/** User data that connects to other guests when it runs, and says so on the console. */
function talkingTo(addresses: readonly string[]): string {
  const talk = addresses.map(
    (address) =>
      `ping -c 3 -W 2 ${address} > /dev/null && echo "guest: ping ${address} ok"; echo over-tcp | nc -w 5 ${address} 7 | sed 's/^/guest: tcp ${address} /'`,
  );
  return ['#!/bin/sh', ...talk, 'echo "guest: talked"', ''].join('\n');
}

const reach: GuestOperation = {
  title: 'guests reach each other: on one host, across hosts, through a router',
  async run(world) {
    const { client, router } = world;
    const [here, there] = COMPUTE_NODES;
    await using network = await temporary(client, 'network', 'other');
    const range = ['--network', network.id, '--subnet-range', '10.10.0.0/24'];
    await using subnet = await temporary(client, 'subnet', 'other', ...range);
    await client.openstack('router', 'add', 'subnet', router, subnet.id);
    try {
      await servedNetwork(client, network.id);
      await using near = await temporaryGuest(world, 'near', '--host', here, ...ON_HOST);
      await using far = await temporaryGuest(world, 'far', '--host', there, ...ON_HOST);
      await using routed = await temporaryGuest(world, 'routed', '--network', network.id, '--host', there, ...ON_HOST);
      const others = [near, far, routed];
      await client.write('/tmp/user-data', talkingTo(others.map(({ address }) => address)));
      const options = ['--user-data', '/tmp/user-data', '--host', here, ...ON_HOST];
      await using talker = await temporaryGuest(world, 'talker', ...options);
      await consoleHas(client, talker.id, /^guest: talked$/m);
      const text = await consoleOf(client, talker.id);
      for (const { name, address } of others) {
        assert.match(text, new RegExp(`^guest: ping ${address} ok$`, 'm'), name);
        assert.match(text, new RegExp(`^guest: tcp ${address} over-tcp$`, 'm'), name);
      }
      return `${here} to ${here}, to ${there}, and to another network there: ICMP and TCP`;
    } finally {
      await client.openstack('router', 'remove', 'subnet', router, subnet.id);
    }
  },
};

const fromOutside: GuestOperation = {
  title: 'a floating address from outside; a security group closes a port and opens it',
  async run(world) {
    const { client, group, outside } = world;
    await using guest = await temporaryGuest(world, 'reached');
    await using floating = await floatingTo(world, guest.port);
    const page = async () => await outside('curl', '--silent', '--max-time', '3', `http://${floating.address}/`);
    await until('the floating address to answer', () => page().catch(() => undefined));
    assert.match(await page(), new RegExp(`^guest ${guest.name}\\b`));
    const rules = await client.json<readonly RuleRow[]>('security', 'group', 'rule', 'list', group);
    const rule = rules.find((each) => each['Port Range'] === '80:80') ?? assert.fail(JSON.stringify(rules));
    await client.openstack('security', 'group', 'rule', 'delete', rule.ID);
    await until('port 80 to be closed', async () =>
      (await page().catch(() => 'closed')) === 'closed' ? true : undefined,
    );
    await client.openstack('security', 'group', 'rule', 'create', '--proto', 'tcp', '--dst-port', '80', group);
    await until('port 80 to be open', () => page().catch(() => undefined));
    return `${floating.address} → ${guest.address}`;
  },
};

interface RuleRow {
  readonly ID: string;
  readonly 'Port Range': string;
}

const lives: GuestOperation = {
  title: 'a guest is stopped, started, rebooted hard, rebuilt, and resized on its host',
  async run(world) {
    const { client } = world;
    await using guest = await temporaryGuest(world, 'life');
    const path = `/servers/${guest.id}`;
    const ready = async (act: string) => {
      await stateOf(client, 'nova', path, 'ACTIVE');
      await consoleHas(client, guest.id, / ready$/m);
      done.push(act);
    };
    const done: string[] = [];
    await client.openstack('server', 'stop', guest.id);
    await stateOf(client, 'nova', path, 'SHUTOFF');
    await client.openstack('server', 'start', guest.id);
    await ready('started');
    await client.openstack('server', 'reboot', '--hard', '--wait', guest.id);
    await ready('rebooted');
    await client.openstack('server', 'rebuild', '--wait', guest.id);
    await ready('rebuilt');
    const kib = async () =>
      Number(/ cpu (\d+) KiB available/.exec(await consoleOf(client, guest.id))?.[1] ?? assert.fail('no memory'));
    const small = await kib();
    const host = await hostOf(client, guest.id);
    const service = ['compute', 'service', 'set', '--os-compute-api-version', '2.53'];
    await client.openstack(...service, '--disable', otherThan(host), 'nova-compute');
    try {
      await client.openstack('server', 'resize', '--flavor', world.basis.large, '--wait', guest.id);
    } finally {
      await client.openstack(...service, '--enable', otherThan(host), 'nova-compute');
    }
    await client.openstack('server', 'resize', 'confirm', guest.id);
    await ready('resized');
    assert.equal(await hostOf(client, guest.id), host);
    const large = await kib();
    assert.ok(large > small + 16_384, `${small} KiB, then ${large}`);
    return done.join(', ');
  },
};

/** All operations, in the order in which a run performs them. */
export const GUEST_OPERATIONS: readonly GuestOperation[] = [
  boots,
  reach,
  fromOutside,
  lives,
  migrates,
  bootsFromVolume,
  volumes,
  restarts,
  binds,
  certificate,
  deletion,
  lostCompute,
];
