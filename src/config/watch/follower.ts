import { formatDuration } from '../../core/duration.ts';
import { KollaError } from '../../core/errors.ts';
import { backoffMs } from '../../core/backoff.ts';
import { configMapVersion } from '../../fs/config-record.ts';
import { applyPlanned, changesOf, type InPlace } from '../index.ts';
import { followedPaths } from './followed.ts';
import { filesInPlace } from './in-place.ts';
import { changedNames, isComplete, withoutApplying } from './installed.ts';
import { lookAt, type Look } from './look.ts';
import type { Change, WatchOptions, WatchParts } from './parts.ts';
import { STARTING, versionOf, type WatchStatus } from './status.ts';

const RETRY = { minMs: 1000, maxMs: 60_000 };

/** State of the watch so far. */
export class Follower {
  paths: readonly string[];
  /** Fingerprint of the last examined content. */
  fingerprint: string | undefined;
  /** When to retry a failure; Infinity if there is none. */
  retryMs = Infinity;
  readonly #options: WatchOptions;
  readonly #parts: WatchParts;
  #status: WatchStatus;
  #failures = 0;
  /** A failed attempt may have written some files: the change is reported when the rest is installed too. */
  #isHalfApplied = false;

  constructor(options: WatchOptions, parts: WatchParts) {
    this.#options = options;
    this.#parts = parts;
    this.#status = { ...STARTING, installed: options.repairs === true ? undefined : parts.installedBefore };
    this.paths = followedPaths(undefined, options);
  }

  /** Examines the content and installs the differences. Returns false if it changed meanwhile. */
  async turn(): Promise<boolean> {
    const look = await lookAt(this.#options, this.paths, this.#parts);
    if (look === undefined) return false;
    this.paths = look.paths;
    this.fingerprint = look.fingerprint;
    this.retryMs = Infinity;
    const version = versionOf(look.fingerprint);
    this.#status = { ...this.#status, looked: version, configMap: configMapVersion(this.#options.configDir) };
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

  /** The content is unchanged, but the kubelet's version may differ, because it was changed and changed back. */
  nothingNew(): void {
    const configMap = configMapVersion(this.#options.configDir);
    if (configMap !== this.#status.configMap) this.#say({ configMap });
  }

  async #apply(version: string, look: Extract<Look, { kind: 'planned' }>): Promise<void> {
    const { planned, digest } = look;
    const { signal, finish } = this.#parts;
    try {
      const isKept = this.#status.installed === digest && isComplete(planned);
      const applied = isKept ? this.#keep(version, look) : await this.#install(look);
      const others = finish(applied);
      this.#status = { ...this.#status, installed: digest };
      const { steps, restored, removals } = planned.plan;
      const { files, configMap } = this.#status;
      this.#status = { ...this.#status, files: filesInPlace([...steps, ...restored], files, configMap) };
      this.#inPlace({ version, files: isKept ? 0 : applied.written + removals.length, others });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      this.#isHalfApplied = true;
      this.#status = { ...this.#status, installed: undefined };
      this.#fail(version, error);
    }
  }

  async #install({ planned }: Extract<Look, { kind: 'planned' }>): Promise<InPlace> {
    const { signal, log, prepare } = this.#parts;
    if (changesOf(planned.plan) > 0) prepare();
    return await applyPlanned(planned, { signal, log });
  }

  /** The version is installed already. Files that differ were changed by another process: the service, most likely. */
  #keep(version: string, { planned }: Extract<Look, { kind: 'planned' }>): InPlace {
    const names = changedNames(planned);
    if (names !== undefined)
      this.#parts.log.info(
        `version ${version} was installed before; changed since then, and kept: ${names}; ` +
          'kolla-init check shows the differences, --repair installs the files again',
        { version },
      );
    return withoutApplying(planned);
  }

  #inPlace(change: Change): void {
    const { version, files, others } = change;
    const { applied, lastChangeMs, state } = this.#status;
    const isChanged = files > 0 || others.length > 0 || this.#isHalfApplied;
    this.#isHalfApplied = false;
    this.#failures = 0;
    this.#say({
      state: 'in-step',
      version,
      problem: undefined,
      applied: applied + (isChanged ? 1 : 0),
      lastChangeMs: isChanged ? Date.now() : lastChangeMs,
    });
    if (isChanged) {
      const what = [`${files} ${files === 1 ? 'file' : 'files'}`, ...others].join(', ');
      this.#parts.log.info(`version ${version} installed, changed: ${what}`, { version });
      this.#parts.onApplied(change);
    } else if (state !== 'in-step') this.#parts.log.info(`version ${version} is already installed`, { version });
  }

  #refuse(version: string, error: Error): void {
    const problem = error.message;
    this.#say({ state: 'refused', problem, refused: this.#status.refused + 1 });
    const stays =
      this.#status.version === undefined ? 'nothing is installed' : `${this.#status.version} stays installed`;
    const except = this.#isHalfApplied ? ', except files of a version that failed' : '';
    this.#parts.log.error(`version ${version} rejected, ${stays}${except}: ${problem}`, { version });
  }

  #fail(version: string, error: unknown): void {
    if (!(error instanceof KollaError)) throw error;
    const problem = error.message;
    this.retryMs = backoffMs(this.#failures++, RETRY);
    this.#say({ state: 'failed', problem, failed: this.#status.failed + 1 });
    const after = formatDuration(this.retryMs);
    this.#parts.log.error(`version ${version} not installed, retrying in ${after}: ${problem}`, { version });
  }

  #say(change: Partial<WatchStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#parts.onStatus(this.#status);
  }
}
