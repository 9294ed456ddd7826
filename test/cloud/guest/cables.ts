import type { KubeNode } from '../../cluster/kubernetes/index.ts';
import { must, run, start, tied } from '../../../tools/process.ts';

/** The bridge of a compute node's switch that has its address for tunnels (k8s/examples/cloud/guest.yml). */
const UNDERLAY = 'br-phy';
const PREFIX = 24;
/** The control node's address in the network outside of the cloud, that of its routers' gateway. */
export const OUTSIDE_ADDRESS = '172.24.4.1';
export const OUTSIDE_NETWORK = '172.24.4.0/24';

/**
 * Connects the compute nodes by two cables each: `tunnel0` for VXLAN, and `outside0` to an external network, which the
 * control node has an address in. A switch in user space sends tunnels only through a bridge of its own, so the address for
 * them is the bridge's, and it gets it whenever the switch makes the bridge, as from systemd-networkd.
 */
export async function layCables(node: KubeNode): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const onFirst = async (...words: readonly string[]) => await must(...node.inside('ip', words));
  for (const bridge of ['tunnels', 'outside']) {
    await onFirst('link', 'add', bridge, 'type', 'bridge');
    await onFirst('link', 'set', bridge, 'up');
  }
  await onFirst('address', 'add', `${OUTSIDE_ADDRESS}/${PREFIX}`, 'dev', 'outside');
  for (const [name, further] of node.further) {
    for (const [device, bridge] of [
      ['tunnel0', 'tunnels'],
      ['outside0', 'outside'],
    ] as const) {
      const end = `${bridge}-${name}`;
      await onFirst('link', 'add', end, 'type', 'veth', 'peer', 'name', device);
      await onFirst('link', 'set', end, 'master', bridge, 'up');
      await onFirst('link', 'set', device, 'netns', String(further.pid));
      await must(...further.inNetwork('ip', ['link', 'set', device, 'up']));
    }
    await must(...further.site.place('sh', ['-ec', OPEN_KVM]));
    const address = `192.0.2.${name.replace(/\D/g, '')}/${PREFIX}`;
    stack.use(await start(...tied(...further.inNetwork('sh', ['-ec', KEEP_ADDRESS, 'sh', address, UNDERLAY]))));
  }
  return stack.move();
}

/**
 * Kolla's script of libvirt gives /dev/kvm to the emulators' group. Where they may not open it, libvirtd, as root, may, and
 * then probes each emulator again at every request. The machine's own device is left as it is.
 */
const OPEN_KVM = `
[ -e /dev/kvm ] || exit 0
umask 0
mknod /run/kvm c 10 232
mount --bind /run/kvm /dev/kvm
`;

/**
 * Removes what libvirtd made in this machine's cgroups, which nodes share: a cgroup of each guest. Call it when the nodes have
 * ended. A cgroup with processes, of another libvirtd, can't be removed and stays.
 */
export async function removeGuestsCgroups(): Promise<void> {
  const made = ['-path', '/sys/fs/cgroup*/machine', '-o', '-path', '/sys/fs/cgroup*/machine/qemu-*'];
  await run('find', ['/sys/fs/cgroup', '-depth', '-type', 'd', '(', ...made, ')', '-exec', 'rmdir', '{}', ';']);
}

/** $1: address, $2: device. The monitor runs first, so that no change is missed. */
const KEEP_ADDRESS = `
ip -oneline monitor link | {
  set_address() { ip address replace "$1" dev "$2" && ip link set "$2" up; }
  ! [ -e "/sys/class/net/$2" ] || set_address "$1" "$2" || :
  while read -r line; do
    case $line in *Deleted*) ;; *" $2: "*UP*) ;; *" $2: "*) set_address "$1" "$2" || : ;; esac
  done
}
`;
