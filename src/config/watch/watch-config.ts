import { KollaError } from '../../cli/errors.ts';
import { formatDuration } from '../../cli/duration.ts';
import type { Log } from '../../cli/log.ts';
import { backoffMs } from '../../platform/backoff.ts';
import { applyPlanned, type ConfigOptions } from '../index.ts';
import { Bell } from './bell.ts';
import { fingerprintOf } from './fingerprint.ts';
import { followedPaths } from './followed.ts';
import { lookAt, type Look } from './look.ts';
import { pathWatcher, type PathWatcher } from './path-watcher.ts';
import { STARTING, versionOf, type WatchStatus } from './status.ts';

export interface WatchOptions extends ConfigOptions {
  /** A change is looked at when nothing has happened for so long. */
  readonly settleMs: number;
  /** How often content is compared without an event. */
  readonly pollMs: number;
}

/** A version that is in place now and was not before. */
export interface Change {
  readonly version: string;
  /** Files that were written. */
  readonly written: number;
  /** What the container runs. */
  readonly command: string;
}

export interface WatchParts {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Leaves the command where the service's container finds it; whether that was another one. May throw KollaError. */
  readonly leaveCommand: (command: string) => Promise<boolean>;
  /** A version was put in place and changed something. Must not wait. */
  readonly onApplied: (change: Change & { readonly isOtherCommand: boolean }) => void;
  /** Told at each step of the status. */
  readonly onStatus: (status: WatchStatus) => void;
  /** What tells of changes; a test puts a deaf one here. */
  readonly watcher?: typeof pathWatcher;
}

const RETRY = { minMs: 1000, maxMs: 60_000 };

/** Follows the configuration until the signal is aborted, and rejects with its reason. */
export async function watchConfig(options: WatchOptions, parts: WatchParts): Promise<never> {
  const { signal, log } = parts;
  const bell = new Bell();
  const trouble = new Set<string>();
  await using watcher = (parts.watcher ?? pathWatcher)(
    () => bell.ring(),
    (reason) => {
      if (trouble.has(reason)) return;
      trouble.add(reason);
      const after = formatDuration(options.pollMs);
      log.warn(`cannot watch all of the configuration: ${reason}; changes there are found after up to ${after}`);
    },
  );
  const follower = new Follower(options, parts);
  await watcher.watch(follower.paths);
  for (let isAgain = false; ;) {
    signal.throwIfAborted();
    const before = follower.paths;
    const isWhole = await follower.turn();
    // Whatever happened between the look and the watch is found because the bell is rung once more.
    if (isAgain || String(before) !== String(follower.paths)) await rewatch(watcher, follower.paths, bell);
    if (!isWhole) bell.ring();
    isAgain = await nextChange(bell, follower, options, parts);
  }
}

async function rewatch(watcher: PathWatcher, paths: readonly string[], bell: Bell): Promise<void> {
  await watcher.watch(paths);
  bell.ring();
}

/** Resolves when the content is another; with true when no event told of it. */
async function nextChange(
  bell: Bell,
  follower: Follower,
  { settleMs, pollMs }: WatchOptions,
  { signal, log }: WatchParts,
): Promise<boolean> {
  for (;;) {
    const isRung = await bell.wait({ settleMs, idleMs: Math.min(pollMs, follower.retryMs), signal });
    if (follower.retryMs < Infinity) return false;
    if ((await fingerprintOf(follower.paths)) === follower.fingerprint) continue;
    if (!isRung) log.info('a change was found that no event told of; watching anew');
    return !isRung;
  }
}

/** What has been seen and done so far. */
class Follower {
  paths: readonly string[];
  /** Of what was looked at last. */
  fingerprint: string | undefined;
  /** When to try again what failed; Infinity when nothing did. */
  retryMs = Infinity;
  readonly #options: WatchOptions;
  readonly #parts: WatchParts;
  #status = STARTING;
  #failures = 0;
  /** A try that failed may have written some of the files: what it changed is told when the rest is in place too. */
  #isHalfApplied = false;

  constructor(options: WatchOptions, parts: WatchParts) {
    this.#options = options;
    this.#parts = parts;
    this.paths = followedPaths(undefined, options);
  }

  /** Looks, and puts in place what differs. Returns false when it changed while we looked. */
  async turn(): Promise<boolean> {
    const look = await lookAt(this.#options, this.paths, this.#parts);
    if (look === undefined) return false;
    this.paths = look.paths;
    this.fingerprint = look.fingerprint;
    this.retryMs = Infinity;
    const version = versionOf(look.fingerprint);
    switch (look.kind) {
      case 'absent':
        this.#say({ state: 'absent', problem: `there is no config.json in ${this.#options.configDir}` });
        break;
      case 'wrong':
        this.#refuse(version, look.error);
        break;
      case 'failed':
        this.#fail(version, look.error);
        break;
      case 'planned':
        await this.#apply(version, look);
    }
    return true;
  }

  async #apply(version: string, { planned }: Extract<Look, { kind: 'planned' }>): Promise<void> {
    const { signal, log, leaveCommand, onApplied } = this.#parts;
    try {
      const { written, command } = await applyPlanned(planned, { signal, log });
      const isOtherCommand = await leaveCommand(command);
      this.#failures = 0;
      const isChanged = written > 0 || isOtherCommand || this.#isHalfApplied;
      this.#isHalfApplied = false;
      const { applied, lastChangeMs, state } = this.#status;
      this.#say({
        state: 'in-step',
        version,
        problem: undefined,
        applied: applied + (isChanged ? 1 : 0),
        lastChangeMs: isChanged ? Date.now() : lastChangeMs,
      });
      if (isChanged) {
        log.info(`version ${version} is in place: ${written} ${written === 1 ? 'file' : 'files'} written`, { version });
        onApplied({ version, written, command, isOtherCommand });
      } else if (state !== 'in-step') log.info(`version ${version} is in place already`, { version });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      this.#isHalfApplied = true;
      this.#fail(version, error);
    }
  }

  #refuse(version: string, error: Error): void {
    const problem = error.message;
    this.#say({ state: 'refused', problem, refused: this.#status.refused + 1 });
    const stays = this.#status.version === undefined ? 'nothing is in place' : `${this.#status.version} stays in place`;
    this.#parts.log.error(`version ${version} is refused, ${stays}: ${problem}`, { version });
  }

  #fail(version: string, error: unknown): void {
    if (!(error instanceof KollaError)) throw error;
    const problem = error.message;
    this.retryMs = backoffMs(this.#failures++, RETRY);
    this.#say({ state: 'failed', problem, failed: this.#status.failed + 1 });
    const after = formatDuration(this.retryMs);
    this.#parts.log.error(`version ${version} is not in place, trying again in ${after}: ${problem}`, { version });
  }

  #say(change: Partial<WatchStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#parts.onStatus(this.#status);
  }
}
