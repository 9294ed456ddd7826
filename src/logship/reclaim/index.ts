/**
 * Reclaiming the disk of shipped lines, because a pod has no logrotate and its volume has a limit.
 *
 *   what every destination's checkpoint on disk says (marks) -> reclaimer (whole blocks before the lowest mark, but not the
 *   first ones and not the last; the file at that path is still that content) -> punch (util-linux
 *   `fallocate --punch-hole --keep-size` on our own descriptor)
 *
 * The file keeps its size, and every byte its offset; what is reclaimed reads as zeros. So no writer has to know, no position
 * moves, and a restart goes on as ever. Only what a checkpoint on disk calls acknowledged is reclaimed: after a crash nothing
 * is read again that is gone. What can fail is said once, with its fix, and shipping goes on without.
 * `--reclaim auto` asks whether the log root's volume ends with its pod, in which case nothing else reclaims its disk.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { pause } from '../../core/backoff.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { OpenLog } from '../read/open-log.ts';
import { fallocateWith, findFallocate } from './punch.ts';
import { Reclaimer, type Acknowledged } from './reclaimer.ts';

interface StartOptions {
  readonly mode: 'auto' | 'on' | 'off';
  /** The log root. */
  readonly root: string;
  /** Acknowledged bytes of each file that stay. */
  readonly keepBytes: number;
  /** Of each destination, what its checkpoint on disk holds. */
  readonly saved: () => readonly (readonly Acknowledged[])[];
  readonly log: Log;
  readonly open: OpenLog;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

/** Goes on until it is disposed of, after a last look. */
interface Reclaiming extends AsyncDisposable {
  /** So far. */
  readonly bytes: () => number;
}

/** Checkpoints are written once a second at most. */
const EVERY_MS = 500;
/** A stop should not take long. */
const LAST_MS = 2000;

/**
 * Starts to reclaim, where that is wanted.
 * @returns undefined where it is not
 * @throws ConfigError where it was asked for and there is no program for it
 */
export function startReclaiming({ mode, root, everyMs = EVERY_MS, ...rest }: StartOptions): Reclaiming | undefined {
  const { log } = rest;
  const why = mode === 'on' ? 'asked for' : mode === 'off' ? undefined : ending(root);
  if (why === undefined) return undefined;
  const found = findFallocate();
  if ('reason' in found) {
    const what = `acknowledged bytes in ${root} (${why}) can't be reclaimed: ${found.reason}; it comes with util-linux`;
    if (mode === 'on') throw new ConfigError(`--reclaim on: ${what}`);
    log.warn(`${what}; --reclaim off says that this is meant`);
    return undefined;
  }
  log.info(`disk space of acknowledged lines in ${root} is reclaimed (${why})`);
  const reclaimer = new Reclaimer({ ...rest, punch: fallocateWith(found.file) });
  const stop = new AbortController();
  const ended = keepOn(reclaimer, everyMs, stop.signal, log);
  return {
    bytes: () => reclaimer.bytes,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      // What it does not come to, the next start does.
      await passOnce(reclaimer, AbortSignal.timeout(LAST_MS), log);
    },
  };
}

function ending(root: string): string | undefined {
  try {
    const why = endsWithPod(realpathSync(root), readFileSync('/proc/self/mountinfo', 'utf8'));
    return why === undefined ? undefined : `it is ${why}`;
  } catch {
    return undefined; // no log root yet, or no /proc: then it is unknown, and nothing is reclaimed
  }
}

async function keepOn(reclaimer: Reclaimer, everyMs: number, signal: AbortSignal, log: Log): Promise<void> {
  let goesOn = true;
  while (goesOn) {
    await pause(everyMs, signal).catch(() => {});
    goesOn = !signal.aborted && (await passOnce(reclaimer, signal, log));
  }
}

/** Whether it went well. Never rejects: that disk can't be reclaimed must not end the shipping. */
async function passOnce(reclaimer: Reclaimer, signal: AbortSignal, log: Log): Promise<boolean> {
  try {
    await reclaimer.pass(signal);
    return true;
  } catch (error) {
    if (!signal.aborted)
      log.error(`disk is no longer reclaimed, which is our bug, please report it: ${messageOf(error)}`);
    return false;
  }
}

interface Mount {
  /** What of its file system is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** Of the kubelet's own directory for such a volume, wherever that lies. */
const EMPTY_DIR = '/volumes/kubernetes.io~empty-dir/';

/**
 * Why what lies there is gone when the pod is: it is an emptyDir, or in memory. Undefined for all else, such as a directory of the
 * node, whose logs others look after.
 * @param directory absolute, without links
 * @param mountinfo the text of /proc/self/mountinfo
 */
export function endsWithPod(directory: string, mountinfo: string): string | undefined {
  const mounts = mountinfo.split('\n').flatMap((line) => parseMount(line) ?? []);
  for (let at = directory; ; at = dirname(at)) {
    // Of several at one point the last is on top.
    const mount = mounts.findLast(({ point }) => point === at);
    if (mount !== undefined) return reasonOf(mount);
    if (at === dirname(at)) return undefined;
  }
}

function reasonOf({ root, type }: Mount): string | undefined {
  if (`${root}/`.includes(EMPTY_DIR)) return 'an emptyDir';
  return type === 'tmpfs' ? 'in memory' : undefined;
}

/** `36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/root rw`, proc(5). */
function parseMount(line: string): Mount | undefined {
  const [front = '', back = ''] = line.split(' - ');
  const [, , , root, point] = front.split(' ');
  const [type] = back.split(' ');
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return { root: unescaped(root), point: unescaped(point), type };
}

/** A space in a path is `\040`. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
