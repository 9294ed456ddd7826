import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startRsyslog } from '../test/cluster/rsyslog.ts';
import { privateDirectory } from '../tools/directory.ts';
import { start, tied, type Running } from '../tools/process.ts';

export const BINARY = fileURLToPath(new URL('../dist/bin/kolla-log-ship', import.meta.url));

export type Documents = 'raw' | 'parsed';

export interface Job {
  /** The log root, with a directory a service in it. */
  readonly root: string;
  readonly files: readonly string[];
  readonly documents: Documents;
  /** Of what takes bulk requests, on loopback. */
  readonly port: number;
}

/** What ships log files, started on a job with no memory of an earlier one. */
export type Shipper = (job: Job, directory: string) => Promise<Running>;

/** The built binary, with ids and checkpoints. */
export const ours: Shipper = ({ root, files, documents, port }, directory) => {
  const schema = documents === 'raw' ? 'raw' : 'kolla';
  const where = ['--url', `http://127.0.0.1:${port}`, '--state', join(directory, 'state'), '--root', root];
  const args = [...where, '--schema', schema, '--timezone', 'UTC', '--hostname', 'compute-1', ...files];
  const env = { PATH: process.env['PATH'] };
  return start(...tied(BINARY, args), { env, logFile: join(directory, 'log-ship.log') });
};

export const rsyslog: Shipper = (job, directory) => startRsyslog({ ...job, index: 'flog-2026.11.20', directory });

/** What a shipper has taken when all was in. */
export interface Taken {
  /** User and system, of all its threads. */
  readonly cpuS: number;
  /** From its start until the last line was in. */
  readonly wallS: number;
  /** From its start until the first line was in. */
  readonly firstS: number;
  /** The most of its memory that was resident. */
  readonly peakMB: number;
}

/** Until the last checkpoint is on disk: what that takes belongs to the work. */
const SETTLE_MS = 1500;

/**
 * Runs a shipper on its job from the beginning.
 * @param arrived resolves when all is in, with the times of the first and the last line in milliseconds since the epoch
 */
export async function taken(
  shipper: Shipper,
  job: Job,
  arrived: () => Promise<{ readonly firstMs: number; readonly lastMs: number }>,
): Promise<Taken> {
  await using directory = await privateDirectory('bench-ship');
  const begunMs = performance.timeOrigin + performance.now();
  await using running = await shipper(job, directory.path);
  const failed = running.ended.then((code) => {
    throw new Error(`${shipper === ours ? 'ours' : 'the peer'} ended with ${code}`);
  });
  const { firstMs, lastMs } = await Promise.race([arrived(), failed]);
  failed.catch(() => {}); // that is how it is stopped
  await sleep(SETTLE_MS);
  return {
    cpuS: cpuSecondsOf(running.pid),
    wallS: (lastMs - begunMs) / 1000,
    firstS: (firstMs - begunMs) / 1000,
    peakMB: memoryOf(running.pid, 'VmHWM'),
  };
}

const TICKS_PER_SECOND = 100;

/** User and system time so far: its own, also of threads that have ended, and that of children it waited for. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name, which may hold anything: utime, stime, cutime, cstime are the 14th field and on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** In MB. */
export function memoryOf(pid: number, what: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN) / 1024;
}
