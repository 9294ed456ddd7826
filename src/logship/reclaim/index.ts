/**
 * Reclaims the disk space of shipped lines, since a Pod has no logrotate and its volume has a limit.
 *
 *   every destination's checkpoint on disk (marks) -> reclaimer (whole blocks before the lowest mark, except the first
 *   and the last ones; the file at that path still holds that generation) -> holes (recorded on disk first) -> punch
 *   (fallocate(2); on Node util-linux's `fallocate --punch-hole --keep-size` on our own descriptor)
 *
 * The file keeps its size and all offsets; reclaimed bytes read as zeros. So writers notice nothing, no position moves,
 * and a restart resumes as usual. Only bytes acknowledged in a checkpoint on disk are reclaimed: after a crash nothing
 * reclaimed is read again. Failures are logged once, with their fix, and shipping continues. `--reclaim auto` checks
 * whether the log root's volume is deleted with its Pod, in which case nothing else reclaims its disk.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { pause } from '../../core/backoff.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { OpenLog } from '../read/open-log.ts';
import type { Holes } from '../state/holes.ts';
import { Reclaimer, type Acknowledged } from './reclaimer.ts';
import { findPunch } from '#punch';

interface StartOptions {
  readonly mode: 'auto' | 'on' | 'off';
  /** The log root directory. */
  readonly root: string;
  /** Number of acknowledged bytes to keep in each file. */
  readonly keepBytes: number;
  /** The content of each destination's checkpoint on disk. */
  readonly saved: () => readonly (readonly Acknowledged[])[];
  readonly log: Log;
  readonly open: OpenLog;
  readonly holes: Pick<Holes, 'add'>;
  /** Milliseconds between two passes. */
  readonly everyMs?: number;
}

/** Runs until disposed, and then makes a final pass. */
interface Reclaiming extends AsyncDisposable {
  /** Number of bytes reclaimed so far. */
  readonly bytes: () => number;
}

/** Checkpoints are written at most once a second. */
const EVERY_MS = 500;
/** Limit for the final pass, since a stop must not take long. */
const LAST_MS = 2000;

/**
 * Starts reclaiming if enabled.
 * @returns undefined if it is disabled
 * @throws ConfigError if it was requested and its program is missing
 */
export function startReclaiming({ mode, root, everyMs = EVERY_MS, ...rest }: StartOptions): Reclaiming | undefined {
  const { log } = rest;
  const why = mode === 'on' ? 'asked for' : mode === 'off' ? undefined : ending(root);
  if (why === undefined) return undefined;
  const found = findPunch();
  if ('reason' in found) {
    const what = `acknowledged bytes in ${root} (${why}) can't be reclaimed: ${found.reason}`;
    if (mode === 'on') throw new ConfigError(`--reclaim on: ${what}`);
    log.warn(`${what}; if that is intended, set --reclaim off`);
    return undefined;
  }
  log.info(`disk space of acknowledged lines in ${root} is reclaimed (${why})`);
  const reclaimer = new Reclaimer({ ...rest, punch: found.punch });
  const stop = new AbortController();
  const ended = keepOn(reclaimer, everyMs, stop.signal, log);
  return {
    bytes: () => reclaimer.bytes,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      // The next start reclaims the rest.
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

/** Returns whether it succeeded. Never rejects, because a failure to reclaim must not end shipping. */
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
  /** The subtree of its file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** Part of the kubelet's path of an emptyDir, wherever the kubelet's root directory is. */
const EMPTY_DIR = '/volumes/kubernetes.io~empty-dir/';

/**
 * Why the directory's content is deleted with the Pod: it is an emptyDir, or in memory. Undefined otherwise, for
 * example for a hostPath, whose logs are managed elsewhere.
 * @param directory absolute, without links
 * @param mountinfo the text of /proc/self/mountinfo
 */
export function endsWithPod(directory: string, mountinfo: string): string | undefined {
  const mounts = mountinfo.split('\n').flatMap((line) => parseMount(line) ?? []);
  for (let at = directory; ; at = dirname(at)) {
    // If there are several mounts at one path, the last one is on top.
    const mount = mounts.findLast(({ point }) => point === at);
    if (mount !== undefined) return reasonOf(mount);
    if (at === dirname(at)) return undefined;
  }
}

function reasonOf({ root, type }: Mount): string | undefined {
  if (`${root}/`.includes(EMPTY_DIR)) return 'an emptyDir';
  return type === 'tmpfs' ? 'in memory' : undefined;
}

/** A line of mountinfo, proc(5): `36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/root rw`. */
function parseMount(line: string): Mount | undefined {
  const [front = '', back = ''] = line.split(' - ');
  const [, , , root, point] = front.split(' ');
  const [type] = back.split(' ');
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return { root: unescaped(root), point: unescaped(point), type };
}

/** A space in a path is written as `\040`. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
