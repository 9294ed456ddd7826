/**
 * A Pod of a chart that uses Ceph, without Kubernetes:
 *
 *   the chart's objects, and Secrets of the user -> config-files -> kolla-init --root -> the container's mounts
 *     -> a program in the service's image, as the service's user without privileges
 */
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { podOf, podYamlOf, workloadsOf } from '../charts/service-charts.ts';
import { sourcesOf, textAt, type Rendered } from '../charts/support.ts';
import { cephLayer } from '../cloud/trees/ceph.ts';
import { debianTree } from '../cloud/trees/debian.ts';
import { VENV } from '../cloud/trees/environment.ts';
import { runInTree, type Bind } from '../cloud/trees/in-tree.ts';
import { releaseTree } from '../cloud/trees/release.ts';
import { builtCore } from '../cluster/on-core.ts';
import { KOLLA_GID, KOLLA_USERS, kollaEntries } from '../cluster/kolla-layout.ts';
import type { Secrets } from '../cloud/guest/ceph-page.ts';

const RELEASE = '2026.1';
const ADDRESS = '127.0.0.1';
const READ_ONLY = new Set(['config-files', 'pod-yaml']);
/** `definitions`: of nova-libvirt, in its directory. The other volumes of a node are its devices and sockets. */
const VOLUMES = new Set([...READ_ONLY, 'kolla', 'logs', 'tmp', 'state', 'definitions']);

type Mounting = Pick<ReturnType<typeof podOf>['containers'][0], 'volumeMounts'>;

let core: ReturnType<typeof builtCore> | undefined;

export interface CephPod extends AsyncDisposable {
  /** Runs a program of the image, and returns its output. */
  run(argv: readonly [string, ...string[]]): Promise<string>;
  /** Makes calls with a Python program of this directory, `NAME.py`, in one process; returns their results. */
  call(name: string, calls: readonly (readonly unknown[])[]): Promise<unknown[]>;
}

/** The layers of an image of OpenStack with Ceph's clients, the uppermost first. */
export async function cephImage(): Promise<string> {
  return [await cephLayer(), await releaseTree(RELEASE), await debianTree()].join(':');
}

/** Tested by making the layers, which is immediate if they are cached, and by running a program in them. */
export const canHaveCephImage: Capability = async () => {
  try {
    const { code, stderr } = await runInTree(await cephImage(), ['rbd', '--version']);
    return code === 0 ? undefined : `no program runs in a tree here: ${stderr}`;
  } catch (error) {
    return `OpenStack can't be installed here: ${messageOf(error)}`;
  }
};

/**
 * @param name of the workload: `cinder-volume`
 * @param user of its service: `cinder`
 * @param secrets those that the chart expects from the user
 */
export async function cephPod(rendered: Rendered, name: string, user: string, secrets: Secrets): Promise<CephPod> {
  const workload = workloadsOf(rendered).find(({ metadata }) => metadata.name === name);
  const id = user === 'root' ? 0 : KOLLA_USERS[user];
  if (workload === undefined || id === undefined) throw new Error(`the chart has no ${name}, or Kolla no ${user}`);
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('ceph-pod'));
  const at = (...names: string[]) => join(directory, ...names);
  const write = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await chmod(directory, 0o755);
  for (const [path, source] of Object.entries(sourcesOf(workload))) {
    const [, secret = '', key = ''] = source.split('/');
    await write(at('config-files', path), secrets.get(secret)?.get(key) ?? textAt(rendered, source));
  }
  await write(at('pod-yaml/kolla-pod.yaml'), JSON.stringify(podYamlOf(rendered, workload)));
  const accounts = kollaEntries(KOLLA_USERS).filter((entry) => /^etc\/(?:passwd|group)$/.test(entry.name));
  for (const { name: file, content } of accounts) await write(at(file), String(content));
  const { binary } = await (core ??= builtCore());
  const common: Bind[] = [
    ...accounts.map(({ name: file }) => ({ from: at(file), to: `/${file}` })),
    { from: fileURLToPath(new URL('.', import.meta.url)), to: '/opt/tests' },
    // In kolla-core, as in a Pod: Cinder limits the memory of qemu-img, in which Node does not start.
    ...['kolla-init', 'sudo'].map((helper) => ({ from: binary, to: `/usr/local/bin/${helper}` })),
  ];
  /** The mounts of a container; volumes of the machine itself are left out. */
  const bindsOf = async ({ volumeMounts = [] }: Mounting): Promise<Bind[]> => {
    const own = volumeMounts.filter((mount) => VOLUMES.has(mount.name));
    for (const mount of own) {
      const place = at(mount.name, mount.subPath ?? '');
      await mkdir(place, { recursive: true });
      // As for a Pod's fsGroup.
      if (!READ_ONLY.has(mount.name) && (await stat(place)).gid === 0) {
        await chown(place, 0, KOLLA_GID);
        await chmod(place, 0o2770);
      }
    }
    return [...common, ...own.map((mount) => ({ from: at(mount.name, mount.subPath ?? ''), to: mount.mountPath }))];
  };
  const image = await cephImage();
  const ids = [`--reuid=${id}`, `--regid=${id}`, `--groups=${KOLLA_GID}`];
  const unprivileged = [...ids, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const env = { PATH: `${VENV}/bin:/usr/local/bin:/usr/bin:/usr/sbin`, POD_IP: ADDRESS, HOST_IP: ADDRESS };
  const runIn = async (binds: readonly Bind[], argv: readonly string[]) => {
    const { code, stdout, stderr } = await runInTree(image, ['setpriv', ...unprivileged, ...argv], { binds, env });
    if (code === 0) return stdout;
    throw new Error(`${argv.join(' ')} in ${name} ended with ${code}: ${(stderr + stdout).slice(-6000)}`);
  };
  const init = podOf(workload).initContainers.find((container) => container.name === 'kolla-init');
  if (init === undefined) throw new Error(`${name} has no container kolla-init`);
  await runIn(await bindsOf(init), ['kolla-init', '--root', '/kolla']);
  const binds = await bindsOf(podOf(workload).containers[0]);
  const run: CephPod['run'] = (argv) => runIn(binds, argv);
  const kept = stack.move();
  return {
    run,
    call: async (program, calls) => {
      const said = await run(['python3', `/opt/tests/${program}.py`, JSON.stringify(calls)]);
      return JSON.parse(said.trimEnd().split('\n').at(-1) ?? '') as unknown[];
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
