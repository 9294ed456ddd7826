import type { Memory } from '../memory.ts';
import { writePage } from '../page.ts';
import { body, machineLine } from '../report.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';

/** What a cloud with guests does not show on a machine without KVM and a storage network. */
const NOT_RUN = [
  'KVM: the guests are emulated (TCG), which is slower; the seconds to boot say nothing of a site.',
  "The kernel's datapath of Open vSwitch, huge pages, SR-IOV, DPDK: the switch forwards in user space.",
  'What sets a device of a guest up again that is down after Open vSwitch, in user space, has taken it: the run does.',
  "A storage network, several OSDs: Ceph is one of each daemon on the control node's network; its clients are in user space.",
  'Cold migration and resize to another host: Nova copies over SSH, which the chart nova-compute does not set up.',
  "TLS from nova-novncproxy to the consoles of QEMU: Nova has none on Python 3.12 before 2026.2, and the charts don't set it up.",
  "The chart nova's super-conductor, for more than one cell.",
  'Several replicas of the services on the control node.',
];

/** Programs that the Pods of a compute node are asked for, by DaemonSet. */
const ASKED = {
  QEMU: ['daemonset/nova-libvirt', 'qemu-system-x86_64', '--version'],
  libvirt: ['daemonset/nova-libvirt', 'libvirtd', '--version'],
  'Open vSwitch': ['daemonset/neutron-openvswitch-vswitchd', 'ovs-vswitchd', '--version'],
} as const;

/** Writes docs/evidence/guest.md from the run's observations. */
export async function writeGuestReport(stage: Stage, timeline: Timeline, memory: readonly Memory[]): Promise<void> {
  const versions: string[] = [];
  for (const [name, [pod, ...command]] of Object.entries(ASKED)) {
    const said = await stage.kubectl(['exec', pod, '--', ...command]);
    versions.push(`${name} ${/\d+\.\d+\.\d+/.exec(said)?.[0] ?? said.slice(0, 100)}`);
  }
  const lines = [
    `# Guests: OpenStack ${stage.release} on the charts`,
    '',
    await machineLine(stage, timeline, 'make cloud GUEST=1'),
    `On the compute nodes: ${versions.join(', ')}.`,
    '',
    ...body(timeline, memory, NOT_RUN),
  ];
  await writePage('guest', lines.join('\n'));
}
