import { chmod, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  STARTING,
  watchConfig,
  type Change,
  type WatchParts,
  type WatchStatus,
} from '../../../src/config/watch/index.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/until.ts';
import type { Pod } from '../support.ts';
import { watchOnCore } from './on-core.ts';

/** A volume as the kubelet writes it: a directory per version, a link `..data` to it, and a link for each name. */
export class Volume {
  readonly directory: string;
  #version = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Swaps the content as the kubelet's AtomicWriter does: a new directory, `..data_tmp` renamed over `..data`, then the rest. */
  async swap(files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const data = join(this.directory, '..data');
    const before = await readlink(data).catch(() => undefined);
    const next = `..2026_11_21_06_00_00.${String(++this.#version).padStart(9, '0')}`;
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.directory, next, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      await chmod(path, 0o644);
    }
    await symlink(next, join(this.directory, '..data_tmp'));
    await rename(join(this.directory, '..data_tmp'), data);
    for (const name of new Set(Object.keys(files).map((path) => path.split('/')[0]!)))
      await symlink(join('..data', name), join(this.directory, name)).catch(ignorePresent);
    if (before !== undefined) await rm(join(this.directory, before), { recursive: true });
  }
}

function ignorePresent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

export interface Watching extends AsyncDisposable {
  readonly status: () => WatchStatus;
  readonly changes: readonly Change[];
  readonly said: () => string;
  /** Resolves when the status matches. */
  when(what: string, holds: (status: WatchStatus) => boolean): Promise<void>;
  /** Resolves when the file below the root has this content. */
  placed(path: string, content: string): Promise<void>;
}

/** Watches the configuration of a Pod until it is disposed; in this process if other parts are given. */
export function watching(pod: Pod, parts: Partial<WatchParts> & { readonly pollMs?: number } = {}): Watching {
  const { log, said: saidHere } = recordedLog();
  const stop = new AbortController();
  const changes: Change[] = [];
  let status = STARTING;
  const { root, configDir, me } = pod;
  const { pollMs = 3_600_000, ...others } = parts;
  const options = { root, configDir, configFile: undefined, me, settleMs: 20, pollMs };
  let saidByCore = '';
  const reports = {
    signal: stop.signal,
    onApplied: (change: Change) => void changes.push(change),
    onStatus: (next: WatchStatus) => void (status = next),
  };
  const running =
    watchOnCore === undefined || Object.keys(others).length > 0
      ? watchConfig(options, { ...reports, log, prepare: () => {}, finish: () => [], ...others })
      : watchOnCore(options, { ...reports, onSaid: (lines) => (saidByCore += lines) });
  const over = running.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const said = () => saidHere() + saidByCore;
  let isOver = false;
  void over.finally(() => (isOver = true)).catch(() => {}); // disposal rejects with its error
  const when = async (what: string, holds: () => Promise<boolean>) => {
    await until(what, async (saw) => {
      if (await holds()) return true;
      saw(`status ${JSON.stringify(status)}; said ${said()}`);
      if (isOver) throw new Error(`the watch ended before ${what}: ${said()}`);
      return undefined;
    });
  };
  return {
    status: () => status,
    changes,
    said,
    when: (what, holds) => when(what, () => Promise.resolve(holds(status))),
    placed: (path, content) =>
      when(`${path} to be '${content}'`, async () => {
        return (await readFile(join(root, path), 'utf8').catch(() => undefined)) === content;
      }),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await over;
    },
  };
}

/** A pod whose config.json installs `a.conf` at /etc/a.conf. */
export function oneFile(more: object = {}): string {
  const source = '/var/lib/kolla/config_files/a.conf';
  return JSON.stringify({
    command: 'true',
    config_files: [{ source, dest: '/etc/a.conf', owner: 'keystone', perm: '0600', ...more }],
  });
}
