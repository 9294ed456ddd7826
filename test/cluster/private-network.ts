/**
 * Hosts with addresses of their own on one bridge, each a network namespace, whose links can be cut: packets are then lost
 * silently, as by a switch that fails.
 */
import type { Capability } from '../../tools/capability.ts';
import { must, run, start, tied, type Running } from '../../tools/process.ts';

export interface PrivateHost {
  readonly address: string;
  /** Arguments that precede a command line, to run it on this host. */
  readonly launcher: readonly [string, ...string[]];
  /** Cuts or restores its link to the others; its own processes still reach each other. */
  link(state: 'up' | 'down'): Promise<void>;
}

export interface PrivateNetwork extends AsyncDisposable {
  readonly hosts: readonly PrivateHost[];
}

export const canMakeNetworks: Capability = async () => {
  const { code, stderr } = await run('unshare', ['--net', 'ip', 'link', 'add', 'hub', 'type', 'bridge']);
  return code === 0 ? undefined : `no network namespaces with a bridge: ${stderr.trim()}`;
};

/** Starts a network of `count` hosts. */
export async function startNetwork(count: number): Promise<PrivateNetwork> {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await namespace('ip link add hub type bridge && ip link set hub up'));
  const hosts: PrivateHost[] = [];
  for (let index = 1; index <= count; index++) {
    const host = stack.use(await namespace('ip link set lo up'));
    const [port, address] = [`port${index}`, `10.99.0.${index}`];
    await must(...inside(hub, `ip link add ${port} type veth peer name eth0 netns ${host.pid}`));
    await must(...inside(hub, `ip link set ${port} master hub up`));
    await must(...inside(host, `ip address add ${address}/24 dev eth0 && ip link set eth0 up`));
    hosts.push({
      address,
      launcher: ['nsenter', `--net=/proc/${host.pid}/ns/net`],
      link: async (state) => void (await must(...inside(hub, `ip link set ${port} ${state}`))),
    });
  }
  const moved = stack.move();
  return { hosts, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** A process that holds a network namespace, once it is set up. */
async function namespace(setUp: string): Promise<Running> {
  const script = `${setUp} && echo up && exec sleep infinity`;
  const options = { keepOutput: true, throwAway: true } as const;
  const holder = await start(...tied('unshare', ['--net', 'sh', '-ec', script]), options);
  holder.child.stderr!.resume();
  const isUp = await Promise.race([
    new Promise<true>((resolve) => holder.child.stdout!.once('data', () => resolve(true))),
    holder.ended,
  ]);
  if (isUp !== true) throw new Error(`${setUp}: exited with ${isUp}`);
  return holder;
}

function inside(holder: Running, script: string): [string, string[]] {
  return ['nsenter', [`--net=/proc/${holder.pid}/ns/net`, 'sh', '-ec', script]];
}
