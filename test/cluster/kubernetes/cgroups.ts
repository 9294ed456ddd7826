import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerGone, ownerTag } from '../../../tools/owner.ts';
import { until } from '../../support/until.ts';
import type { Command } from './component.ts';

/** The parent cgroup of our Pods, in each hierarchy of this machine. */
export interface Cgroups extends AsyncDisposable {
  /** The cgroup in the kubelet's notation: `/kp-1234-1uls0ck-a1b2c3`. */
  readonly path: string;
  /** Makes a command run among the node's own programs, which have a larger share of the CPUs than its Pods. */
  system(command: string, args: readonly string[]): Command;
}

const PREFIX = 'kp-';
/** All Pods of a node weigh as much as this many processes beside them, which are tests that compute. */
const WEIGHT = 4;
/** The node's own programs need little of a processor, but without waiting for eight test files: Pods and tests wait for them. */
const SYSTEM_WEIGHT = 32;
/** Moves itself into cgroups, by the files in its first argument, and becomes the command of the others. */
const JOIN = 'for file in $1; do echo $$ >"$file"; done; shift; exec "$@"';

interface Hierarchy {
  readonly mount: string;
  readonly version: 1 | 2;
}

/** Creates the cgroup in every hierarchy, and removes the cgroups of killed runs. Rejects without permission. */
export async function makeCgroups(): Promise<Cgroups> {
  // A process may have several nodes.
  const name = `${PREFIX}${ownerTag()}-${randomBytes(3).toString('hex')}`;
  const hierarchies = hierarchiesOf(readFileSync('/proc/self/mountinfo', 'utf8'));
  if (hierarchies.length === 0) throw new Error('no cgroup file system is mounted');
  await using stack = new AsyncDisposableStack();
  const joined: string[] = [];
  for (const { mount, version } of hierarchies) {
    const stale = readdirSync(mount).filter((each) => each.startsWith(PREFIX) && ownerGone(each));
    for (const each of stale) await removeTree(join(mount, each));
    const directory = join(mount, name);
    await mkdir(directory);
    stack.defer(() => removeTree(directory));
    if (version === 1) await copyCpuset(mount, directory);
    // In a hybrid setup the version 2 hierarchy has no controllers.
    else await delegateControllers(mount);
    if (!(await setWeight(directory, WEIGHT))) continue;
    const system = `${directory}-system`;
    await mkdir(system);
    stack.defer(() => removeTree(system));
    if (version === 1) await copyCpuset(mount, system);
    await setWeight(system, SYSTEM_WEIGHT);
    joined.push(join(system, 'cgroup.procs'));
  }
  const moved = stack.move();
  return {
    path: `/${name}`,
    system: (command, args) => ['sh', ['-ec', JOIN, 'sh', joined.join(' '), command, ...args]],
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** The cgroup file systems in a /proc/PID/mountinfo. */
export function hierarchiesOf(mountinfo: string): Hierarchy[] {
  return mountinfo.split('\n').flatMap((line): Hierarchy[] => {
    const [fields = '', source = ''] = line.split(' - ');
    const mount = fields.split(' ')[4] ?? '';
    if (source.startsWith('cgroup2 ')) return [{ mount, version: 2 }];
    return source.startsWith('cgroup ') ? [{ mount, version: 1 }] : [];
  });
}

/** A new version 1 cpuset has no CPUs, and accepts no processes. */
async function copyCpuset(parent: string, directory: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems']) {
    const value = await readFile(join(parent, name), 'utf8').catch(() => undefined);
    if (value !== undefined) await writeFile(join(directory, name), value);
  }
}

/** Returns false where the hierarchy does not have the CPU controller. */
async function setWeight(directory: string, weight: number): Promise<boolean> {
  for (const [name, one] of [
    ['cpu.shares', 1024],
    ['cpu.weight', 100],
  ] as const)
    if (existsSync(join(directory, name))) {
      await writeFile(join(directory, name), String(weight * one));
      return true;
    }
  return false;
}

/** In version 2, a kubelet requires that its cgroup has the controllers of the parent. */
async function delegateControllers(mount: string): Promise<void> {
  const controllers = (await readFile(join(mount, 'cgroup.controllers'), 'utf8')).trim();
  if (controllers === '') return;
  const wanted = controllers.split(' ').map((controller) => `+${controller}`);
  await writeFile(join(mount, 'cgroup.subtree_control'), wanted.join(' '));
}

/** Cgroups are removed bottom-up; their files cannot be removed. */
async function removeTree(directory: string): Promise<void> {
  await until(`the processes in ${directory} to exit`, async () => {
    try {
      const inner = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) =>
        entry.isDirectory(),
      );
      const paths = inner.map((entry) => join(entry.parentPath, entry.name));
      for (const path of paths.toSorted((a, b) => b.length - a.length)) await rmdir(path);
      await rmdir(directory);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return true; // another run removed it
      if (code === 'EBUSY') return undefined;
      throw error;
    }
  });
}
