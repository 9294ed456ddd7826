import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Reach } from './question.ts';

/** Who asks: as which of the names, and its pid in its own PID namespace. */
export interface Asker {
  readonly name: string;
  readonly pid: number | undefined;
}

/**
 * Whether what we see is what the asker would see. Loopback is the network's, so that is shared already; the same PID
 * namespace is one in which that pid runs that name.
 * @param proc `/proc`, but in tests
 */
export async function sharesWith({ name, pid }: Asker, reach: Reach, proc: string = '/proc'): Promise<boolean> {
  if (reach === 'network') return true;
  if (reach === 'own' || pid === undefined) return false;
  try {
    const words = (await readFile(`${proc}/${pid}/cmdline`, 'utf8')).split('\0');
    if (!words.some((word) => basename(word) === name)) return false;
    if (reach === 'processes') return true;
    const [theirs, ours] = await Promise.all([pid, 'self'].map((one) => readlink(`${proc}/${one}/ns/mnt`)));
    return theirs === ours;
  } catch {
    // No such process here, or one that we may not look at: it is not for us to answer.
    return false;
  }
}
