import { COMPUTE_NODES } from '../stage.ts';
import { podOn } from './pod-on.ts';
import type { GuestWorld } from './world.ts';

/** What a guest is known by on the hosts. */
export interface Known {
  readonly server: string;
  readonly port: string;
  readonly mac: string;
  readonly network: string;
  readonly router: string;
}

/** Each kind of trace, with the Pod that is asked for it, and the script that prints it. */
function kindsOf({ server, port, mac, network, router }: Known) {
  const tap = `tap${port.slice(0, 11)}`;
  return [
    ['process', 'nova-compute', 'libvirt', `pgrep -a qemu-system | grep -F ${server}`],
    ['domain', 'nova-compute', 'libvirt', `virsh list --all --uuid | grep -F ${server}`],
    ['directory or lock', 'nova-compute', 'compute', `find /var/lib/nova /run/lock -name '*${server}*' 2>/dev/null`],
    ['device', 'neutron', 'l3-agent', `ip -o link | grep -F ${tap}`],
    ['namespace', 'neutron', 'l3-agent', `ip netns list | grep -E 'qdhcp-${network}|qrouter-${router}'`],
    ['port of the switch', 'neutron', 'openvswitch-vswitchd', `ovs-vsctl list-ports br-int | grep -F ${tap}`],
    ['flow', 'neutron', 'openvswitch-vswitchd', `ovs-ofctl -O OpenFlow13 dump-flows br-int | grep -F ${mac}`],
  ] as const;
}

/** What there is of a guest, its network and its router on all hosts and in the storage: kind and host. */
export async function tracesOf({ stage, storage }: GuestWorld, known: Known): Promise<string[]> {
  const traces: string[] = [];
  for (const node of COMPUTE_NODES)
    for (const [kind, chart, component, script] of kindsOf(known)) {
      const pod = await podOn(stage, node, chart, component);
      const found = await stage.kubectl(['exec', pod, '--', 'bash', '-c', `${script} || true`]);
      if (found.trim() !== '') traces.push(`${kind} on ${node}`);
    }
  if ((await storage.rbd('ls', 'vms')).includes(known.server)) traces.push('image in vms');
  return traces;
}
