import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startRsyslog } from '../test/cluster/rsyslog.ts';
import type { Capability } from '../tools/capability.ts';
import { privateDirectory } from '../tools/directory.ts';
import { must, start, tied, type Running } from '../tools/process.ts';

export const BINARY = fileURLToPath(new URL('../dist/bin/kolla-log-ship', import.meta.url));

export type Documents = 'raw' | 'parsed';

export interface Job {
  /** The log root, with a directory per service. */
  readonly root: string;
  readonly files: readonly string[];
  readonly documents: Documents;
  /** Port of the bulk sink, on loopback. */
  readonly port: number;
}

/** A log shipper, started on a job without state of an earlier one. */
export type Shipper = (job: Job, directory: string) => Promise<Running>;

/** Options apart from those of a job. */
export interface ShipperOptions {
  /** Instead of the sink's own. */
  readonly url?: string | undefined;
  readonly options: readonly string[];
}

/** A built binary, with ids and checkpoints. */
function binaryAt(path: string, { url, options }: ShipperOptions = { options: [] }): Shipper {
  return ({ root, files, documents, port }, directory) => {
    const schema = documents === 'raw' ? 'raw' : 'kolla';
    const to = ['--url', url ?? `http://127.0.0.1:${port}`, ...options];
    const where = [...to, '--state', join(directory, 'state'), '--root', root];
    const args = [...where, '--schema', schema, '--timezone', 'UTC', '--hostname', 'compute-1', ...files];
    const env = { PATH: process.env['PATH'] };
    return start(...tied(path, args), { env, logFile: join(directory, 'log-ship.log') });
  };
}

export const ours = binaryAt(BINARY);

/** This build and the one before, with these options. */
export function bothWith(options: ShipperOptions): readonly [Shipper, Shipper] {
  return [binaryAt(BINARY, options), binaryAt(BEFORE, options)];
}

const BEFORE = process.env['BEFORE'] ?? '';

/** An earlier build, named on the command line. */
export const before = binaryAt(BEFORE);

export const canCompareBuilds: Capability = () => {
  const missing = [BINARY, BEFORE].find((path) => !existsSync(path));
  return Promise.resolve(missing === undefined ? undefined : `no built kolla-log-ship at '${missing}'`);
};

export const rsyslog: Shipper = (job, directory) => startRsyslog({ ...job, index: 'flog-2026.11.20', directory });

const BULK_HELPER = fileURLToPath(new URL('bulk-helper.ts', import.meta.url));

/** The bulk helper of Elasticsearch's client, with ids; raw documents of one file. */
export const bulkHelper: Shipper = ({ files: [file = ''], port }, directory) => {
  const args = ['--max-semi-space-size=2', BULK_HELPER, `http://127.0.0.1:${port}`, file, 'flog', 'stay'];
  return start(...tied(process.execPath, args), { logFile: join(directory, 'bulk-helper.log') });
};

const BARE_BULK = fileURLToPath(new URL('bare-bulk.ts', import.meta.url));

/** Only sends ready-made documents, which the job's only file contains. */
export function bareBulk(index: string): Shipper {
  return ({ files: [file = ''], port }, directory) => {
    const args = [BARE_BULK, `http://127.0.0.1:${port}`, file, index];
    return start(...tied(process.execPath, args), { logFile: join(directory, 'bare-bulk.log') });
  };
}

/** The documents of a job as `bareBulk` reads them. */
export async function documentsOf({ root, files }: Pick<Job, 'root' | 'files'>): Promise<string> {
  await using directory = await privateDirectory('bench-ship');
  const to = ['--to', 'stdout', '--once', '--state', join(directory.path, 'state'), '--root', root];
  return await must(BINARY, [...to, '--timezone', 'UTC', '--hostname', 'compute-1', ...files]);
}

/** Cost of a shipper for a complete job. */
export interface Taken {
  /** User and system time, of all threads. */
  readonly cpuS: number;
  /** From its start to the last line. */
  readonly wallS: number;
  /** From its start to the first line. */
  readonly firstS: number;
  /** Peak resident memory. */
  readonly peakMB: number;
  /** Maximum of its anonymous part, sampled: the file part is mostly the binary, which other Pods share. */
  readonly anonymousMB: number;
}

/** Until the last checkpoint is on disk: writing it is part of the work. */
const SETTLE_MS = 1500;
const SAMPLE_MS = 50;

/**
 * Runs a shipper on its job from scratch.
 * @param arrived resolves when everything has arrived, with the times of the first and last line in milliseconds since
 * the epoch; it is passed the shipper's pid
 */
export async function taken(
  shipper: Shipper,
  job: Job,
  arrived: (pid: number) => Promise<{ readonly firstMs: number; readonly lastMs: number }>,
): Promise<Taken> {
  await using directory = await privateDirectory('bench-ship');
  const begunMs = performance.timeOrigin + performance.now();
  await using running = await shipper(job, directory.path);
  const failed = running.ended.then((code) => {
    throw new Error(`${shipper === ours ? 'ours' : 'the peer'} ended with ${code}`);
  });
  let anonymousMB = 0;
  const { child } = running;
  const sample = () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning) anonymousMB = Math.max(anonymousMB, memoryOf(running.pid, 'RssAnon'));
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  const { firstMs, lastMs } = await Promise.race([arrived(running.pid), failed]).finally(() => clearInterval(sampling));
  failed.catch(() => {}); // it rejects when the shipper is stopped
  await sleep(SETTLE_MS);
  return {
    cpuS: cpuSecondsOf(running.pid),
    wallS: (lastMs - begunMs) / 1000,
    firstS: (firstMs - begunMs) / 1000,
    peakMB: memoryOf(running.pid, 'VmHWM'),
    anonymousMB,
  };
}

const TICKS_PER_SECOND = 100;

/** User and system time so far: its own, including exited threads, and that of reaped children. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain anything: utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** In MB. */
export function memoryOf(pid: number, what: 'VmHWM' | 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN) / 1024;
}
