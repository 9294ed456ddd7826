import { readFileSync, realpathSync } from 'node:fs';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import { endsWithPod } from './mount.ts';
import { fallocateWith, findFallocate } from './punch.ts';
import { Reclaimer, type Acknowledged } from './reclaimer.ts';

export interface StartOptions {
  readonly mode: 'auto' | 'on' | 'off';
  /** The log root. */
  readonly root: string;
  /** Acknowledged bytes of each file that stay. */
  readonly keepBytes: number;
  /** Of each destination, what its checkpoint on disk holds. */
  readonly saved: () => readonly (readonly Acknowledged[])[];
  readonly log: Log;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

/** Goes on until it is disposed of, after a last look. */
export interface Reclaiming extends AsyncDisposable {
  /** So far. */
  readonly bytes: () => number;
}

/** Checkpoints are written once a second at most. */
const EVERY_MS = 500;
/** A stop should not take long. */
const LAST_MS = 2000;

/**
 * Begins to give back, where that is wanted.
 * @returns undefined where it is not
 * @throws ConfigError where it was asked for and there is no program for it
 */
export function startReclaiming({ mode, root, everyMs = EVERY_MS, ...rest }: StartOptions): Reclaiming | undefined {
  const { log } = rest;
  const why = mode === 'on' ? 'asked for' : mode === 'off' ? undefined : ending(root);
  if (why === undefined) return undefined;
  const found = findFallocate();
  if ('reason' in found) {
    const what = `acknowledged bytes in ${root} (${why}) can't be given back: ${found.reason}; it comes with util-linux`;
    if (mode === 'on') throw new ConfigError(`--reclaim on: ${what}`);
    log.warn(`${what}; --reclaim off says that this is meant`);
    return undefined;
  }
  log.info(`disk that acknowledged lines take in ${root} is given back (${why})`);
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
    return undefined; // no log root yet, or no /proc: then nobody can say, and nothing is given back
  }
}

async function keepOn(reclaimer: Reclaimer, everyMs: number, signal: AbortSignal, log: Log): Promise<void> {
  let goesOn = true;
  while (goesOn) {
    await pause(everyMs, signal).catch(() => {});
    goesOn = !signal.aborted && (await passOnce(reclaimer, signal, log));
  }
}

/** Whether it went well. Never rejects: that disk can't be given back must not end the shipping. */
async function passOnce(reclaimer: Reclaimer, signal: AbortSignal, log: Log): Promise<boolean> {
  try {
    await reclaimer.pass(signal);
    return true;
  } catch (error) {
    if (!signal.aborted)
      log.error(`no more disk is given back, which is our bug, please report it: ${messageOf(error)}`);
    return false;
  }
}
