import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../../../src/core/errors.ts';
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';

/** A process of ours in a Pod. */
interface Resident {
  readonly pod: string;
  /** `kolla-core` or `kolla-pod`. */
  readonly program: string;
  /** Its proportional share of memory. */
  readonly pssBytes: number;
  /** Size of what was copied into a volume for it; 0 if its program is the image's. */
  readonly copiedBytes: number;
}

const PROGRAMS = new Set(['kolla-core', 'kolla-pod']);

/**
 * What stays in the Pods of the cloud, apart from Jobs and the operator, is kolla-core alone: no Node.
 * @returns the figures
 */
export async function assertResidents(stage: Stage): Promise<string> {
  const pods = new Map((await podsOf(stage)).map(({ metadata }) => [metadata.uid, metadata.name]));
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (residentOf(name, pods) ?? []) : []));
  assert.ok(all.length > 0, 'no process of ours in any Pod');
  const onNode = all.filter(({ program, pod }) => program === 'kolla-pod' && !pod.startsWith('kolla-operator'));
  assert.deepEqual(
    onNode.map(({ pod }) => pod),
    [],
  );
  const inPods = new Set(all.map(({ pod }) => pod));
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  const pss = all.reduce((sum, { pssBytes }) => sum + pssBytes, 0);
  const copied = Math.max(...all.map(({ copiedBytes }) => copiedBytes));
  return `${all.length} processes in ${inPods.size} Pods, all kolla-core: PSS of all ${mebibytes(pss)} MiB; at most ${mebibytes(copied)} MiB copied a Pod`;
}

/** Undefined if the process is not ours, in none of these Pods, or has ended. */
function residentOf(pid: string, pods: ReadonlyMap<string, string>): Resident | undefined {
  const at = join('/proc', pid);
  try {
    const file = readlinkSync(join(at, 'exe'));
    if (!PROGRAMS.has(basename(file))) return undefined;
    const uid = /pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})/.exec(
      readFileSync(join(at, 'cgroup'), 'utf8'),
    )?.[1];
    const pod = pods.get(uid?.replaceAll('_', '-') ?? '');
    if (pod === undefined) return undefined;
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(join(at, 'smaps_rollup'), 'utf8'))?.[1];
    const [root, directory] = [join(at, 'root'), join(at, 'root', dirname(file))];
    const copiedBytes = statSync(root).dev === statSync(directory).dev ? 0 : sizeOf(directory);
    return { pod, program: basename(file), pssBytes: Number(kilobytes) * 1024, copiedBytes };
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** The files of a directory, each once, however many links it has. */
function sizeOf(directory: string): number {
  const sizes = new Map<number, number>();
  for (const name of readdirSync(directory)) {
    const { ino, size } = statSync(join(directory, name));
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
