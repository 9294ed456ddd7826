/**
 * A real Docker engine from Debian's packages, unpacked and not installed:
 *
 *   packages -> separate namespaces (mounts, processes; network by default) -> dockerd, which starts its containerd
 *            -> a socket in a private directory, and the environment for `docker`
 *
 * Nothing of this machine's own engine is used or visible, and everything ends with the starting process, however it
 * ends. With its own network it has bridges, names and published ports without outside access; with this machine's
 * network an image build can fetch packages.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import type { Capability } from '../../../tools/capability.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { must, run, start, tied, type Finished, type RunOptions } from '../../../tools/process.ts';
import { makeCgroups } from '../kubernetes/cgroups.ts';
import { whenUp } from '../kubernetes/component.ts';
import { dockerPackages } from './packages.ts';

const STOP_MS = 30_000;

export interface Docker extends AsyncDisposable {
  /** A private directory that has the same path in the engine, so it can contain sources of mounts. */
  readonly directory: string;
  /** The environment in which `docker` and `docker-compose` find this engine. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs `docker ARGS` to completion. */
  readonly run: (args: readonly string[], options?: Omit<RunOptions, 'env'>) => Promise<Finished>;
  /** The same, but throws if it fails; returns its stdout. */
  readonly must: (args: readonly string[], options?: Omit<RunOptions, 'env'>) => Promise<string>;
}

export interface DockerOptions {
  /** `own` (default): bridges without outside access. `machine`: containers have `--network host` or none. */
  readonly network?: 'own' | 'machine';
}

/** /run is private, so that no other engine's sockets are found there; a container's mounts stay inside. */
const SET_UP = `
mount -t tmpfs -o mode=755 tmpfs /run
if [ "$1" = own ]; then ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward; fi
shift
exec "$@"
`;

/** Starts the engine and waits for its response. Needs root. */
export async function startDocker({ network = 'own' }: DockerOptions = {}): Promise<Docker> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('docker'));
  const cgroups = stack.use(await makeCgroups());
  const env = await dockerPackages(directory);
  for (const name of ['data', 'exec']) await mkdir(join(directory, name));
  const socket = `unix://${join(directory, 'docker.sock')}`;
  const bridge = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false', '--ip-masq=false'];
  const dockerd = [
    'dockerd',
    `--host=${socket}`,
    `--data-root=${join(directory, 'data')}`,
    `--exec-root=${join(directory, 'exec')}`,
    `--pidfile=${join(directory, 'dockerd.pid')}`,
    `--cgroup-parent=${cgroups.path}`,
    '--storage-driver=overlay2',
    '--oom-score-adjust=0',
    '--exec-opt=native.cgroupdriver=cgroupfs',
    '--userland-proxy=false',
    '--log-level=warn',
    ...(network === 'machine' ? bridge : []),
  ];
  const kinds = ['--mount', '--pid', '--ipc', '--uts', ...(network === 'own' ? ['--net'] : [])];
  const inside = ['sh', '-ec', SET_UP, 'sh', network, 'docker-init', '--', ...dockerd];
  const logFile = join(directory, 'dockerd.log');
  const unshare = [...kinds, '--propagation', 'private', '--fork', '--kill-child', '--mount-proc', ...inside];
  const running = await start(...tied('unshare', unshare), { env, logFile });
  stack.defer(async () => void (await running.stop(STOP_MS)));
  // Since docker 23, BuildKit needs a plugin, which Debian and Ubuntu package separately or not at all.
  const clientEnv = { ...env, DOCKER_HOST: socket, DOCKER_BUILDKIT: '0' };
  const docker: Docker['run'] = (args, options) => run('docker', args, { ...options, env: clientEnv });
  await whenUp({ name: 'dockerd', running, logFile }, "the engine's first response", async () => {
    return (await docker(['version'])).code === 0 || undefined;
  });
  const moved = stack.move();
  return {
    directory,
    env: clientEnv,
    run: docker,
    must: (args, options) => must('docker', args, { ...options, env: clientEnv }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Tested by starting one. */
export const canRunDocker: Capability = async () => {
  try {
    await using docker = await startDocker();
    await docker.must(['info']);
    return undefined;
  } catch (error) {
    return `no engine can be run here: ${messageOf(error).slice(0, 500)}`;
  }
};
