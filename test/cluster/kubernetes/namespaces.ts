import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { must, start, tailOf, tied } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';
import type { Placement } from './component.ts';
import { FIRST_NODE, type NodeIdentity } from './network.ts';

/** `unshare` may leave SIGTERM to its PID 1. */
const STOP_MS = 10_000;

/** The mount, network, PID, UTS and IPC namespaces of the node. */
export interface Namespaces extends AsyncDisposable {
  /** PID 1 in these namespaces, with its pid for this process. */
  readonly pid: number;
  /** Runs commands in all namespaces. */
  readonly inNode: Placement;
  /** Runs commands in the network namespace only, with this machine's files. */
  readonly inNetwork: Placement;
}

/**
 * Mount points must not be created on the machine: these directories are private. /var/lib keeps its content, since a
 * user's home with the cache may be there. The kubelet requires its mounts to be visible in containers (rshared).
 */
const MOUNTS = `
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$1/var-log" /var/log
mount -t overlay -o "lowerdir=/var/lib,upperdir=$1/var-lib,workdir=$1/var-lib-work" overlay /var/lib
mkdir -p /var/lib/kubelet
mount --bind "$1/kubelet" /var/lib/kubelet
mount --make-rshared /
`;

/**
 * The default route leads nowhere, but without one packets to a Service's address never reach iptables. IPv6 would not use an
 * address before it has found that no other node has it, and on a bridge without Pods it never does.
 */
function network({ name, hardware, families }: NodeIdentity): string {
  const commands = families.flatMap(({ address, everywhere, ...family }) => {
    const prefix = family.network.slice(family.network.indexOf('/'));
    const isV6 = isIPv6(address);
    return [
      `ip address add ${address}${prefix} dev cni0 ${isV6 ? 'nodad' : ''}`,
      `ip ${isV6 ? '-6' : '-4'} route add ${everywhere} dev cni0`,
      `echo 1 > /proc/sys/net/${isV6 ? 'ipv6/conf/all/forwarding' : 'ipv4/ip_forward'}`,
    ];
  });
  return `
echo ${name} > /proc/sys/kernel/hostname
ip link set lo up
ip link add cni0 address ${hardware} type bridge
ip link set cni0 up
${commands.join('\n')}
`;
}

/**
 * Creates the namespaces and sets them up. They end with this process, however it ends.
 * @param directory backs the private mounts; not on an overlay
 * @param env PATH and LD_LIBRARY_PATH with `ip`
 * @param init the static helper
 */
export async function makeNamespaces(
  directory: string,
  env: NodeJS.ProcessEnv,
  init: string,
  node: NodeIdentity = FIRST_NODE,
): Promise<Namespaces> {
  for (const name of ['var-log', 'var-lib', 'var-lib-work', 'kubelet']) await mkdir(join(directory, name));
  const kinds = ['--mount', '--net', '--pid', '--uts', '--ipc'];
  const logFile = join(directory, 'init.log');
  await using stack = new AsyncDisposableStack();
  const unshare = [...kinds, '--fork', '--kill-child', '--mount-proc', init, 'init'];
  const running = await start(...tied('unshare', unshare), { env, logFile });
  let pid = 0;
  stack.defer(async () => {
    await running.stop(STOP_MS);
    // PID 1 exits only after all other processes.
    await until('the node to exit', async () => pid === 0 || !existsSync(`/proc/${pid}`) || undefined);
  });
  const up = once(running.child.stdout!, 'data').then(() => undefined);
  const ended = await Promise.race([up, running.ended]);
  if (ended !== undefined) throw new Error(`namespaces can't be made: ${tailOf(logFile).trim() || `exit ${ended}`}`);
  pid = await childOf(running.pid);
  const entering = (which: readonly string[]): Placement => {
    return (command, args) => ['nsenter', [`--target=${pid}`, ...which, '--', command, ...args]];
  };
  const inNode = entering(kinds);
  await must(...inNode('sh', ['-ec', MOUNTS + network(node), 'sh', directory]), { env });
  const moved = stack.move();
  return { pid, inNode, inNetwork: entering(['--net']), [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Connects the bridge of a further node to the first's, by a veth pair with one end in each. */
export async function joinNetworks(
  first: Namespaces,
  further: Namespaces,
  { name }: NodeIdentity,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const [here, there] = [`to-${name}`, `to-${FIRST_NODE.name}`];
  const cable = ['link', 'add', here, 'netns', String(first.pid), 'type', 'veth'];
  await must('ip', [...cable, 'peer', 'name', there, 'netns', String(further.pid)], { env });
  for (const [{ inNetwork }, end] of [
    [first, here],
    [further, there],
  ] as const)
    await must(...inNetwork('ip', ['link', 'set', end, 'master', 'cni0', 'up']), { env });
}

/** Signals the program that a nsenter of ours started. Nsenter stops with its program, but does not resume with it. */
export async function signalInside(nsenter: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(await childOf(nsenter), signal);
  if (signal === 'SIGCONT') process.kill(nsenter, signal);
}

/** The only child of a process. */
async function childOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const child = Number(children.trim());
  if (!Number.isInteger(child) || child === 0) throw new Error(`process ${pid} has not one child but '${children}'`);
  return child;
}
