import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request, Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../tools/port.ts';
import { start, tied, type Running } from '../tools/process.ts';
import { until } from '../test/support/until.ts';
import { percentile, round, type Figure } from './figure.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
/** Program of each server. */
export const SERVERS = {
  'kolla-core': [join(DIST, 'bin/kolla-probe')],
  'kolla-pod': [join(DIST, 'kolla-pod'), 'probe'],
} as const;
const CHECKS = 20;
const REQUESTS_PER_SECOND = 200;
const LOAD_S = 10;
/** Six runs of each check. */
const IDLE_MS = 60_000;

export interface Resident extends Running {
  readonly port: number;
}

/** CPU time of a process so far, all threads, in milliseconds; precise to the nanosecond, unlike /proc/PID/stat. */
export function cpuMsOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Starts the built binary's server with these checks; resolves when it responds. */
export async function startResident(
  directory: string,
  runs: readonly string[],
  { server, period }: { readonly server: keyof typeof SERVERS; readonly period: string },
): Promise<Resident> {
  const port = await freePort();
  const config = join(directory, `kolla-pod-${port}.yaml`);
  const checks = runs.map((run, i) => [`check-${i}`, { run, for: ['readiness'], period }]);
  await writeFile(config, JSON.stringify({ checks: Object.fromEntries(checks) as object }));
  const args = ['serve', '--listen', `127.0.0.1:${port}`, '--config', config, '--allow-no-checks'];
  const [program, ...words] = SERVERS[server];
  const running = await start(...tied(program, [...words, ...args]), {
    env: { PATH: process.env['PATH'] },
    logFile: join(directory, `serve-${port}.log`),
  });
  await until('the resident server to answer', async () =>
    (await get(port).catch(() => undefined)) === 200 ? true : undefined,
  );
  return { ...running, port };
}

const agent = new Agent({ keepAlive: false });

function get(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/readyz', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', reject).end();
  });
}

interface Taken {
  /** CPU time in a minute without requests. */
  readonly idleMs: number;
  readonly perAnswerMs: number;
  readonly waits: readonly number[];
  readonly anonymousMegabytes: number;
  readonly residentMegabytes: number;
}

/** kolla-core's server against kolla-pod's, one at a time, with the same checks. @param runs healthy checks */
export async function residentFigures(directory: string, runs: readonly string[]): Promise<Figure[]> {
  const [core, pod] = [await takenBy('kolla-core', directory, runs), await takenBy('kolla-pod', directory, runs)];
  const figure = (
    what: string,
    unit: string,
    of: (taken: Taken) => number,
    digits: number,
    reach?: number,
  ): Figure => ({
    what: `resident, ${what}`,
    unit,
    ours: round(of(core), digits),
    peer: round(of(pod), digits),
    ...(reach !== undefined && { reach }),
  });
  const within = (part: number) => (taken: Taken) => percentile(taken.waits, part);
  const every = `${CHECKS} checks every 10 s`;
  return [
    figure(`${every}: anonymous memory`, 'MB', (taken) => taken.anonymousMegabytes, 1, 5),
    figure(`${every}: memory`, 'MB', (taken) => taken.residentMegabytes, 1),
    { what: `resident, ${every}: CPU ratio`, unit: '×', ours: round(core.idleMs / pod.idleMs, 2), peer: 1, reach: 1 },
    figure(`${every}: CPU per minute`, 'ms', (taken) => taken.idleMs, 1),
    figure('CPU per httpGet', 'ms', (taken) => taken.perAnswerMs, 2),
    figure(`${REQUESTS_PER_SECOND} requests/s: latency, p50`, 'ms', within(0.5), 1),
    figure(`${REQUESTS_PER_SECOND} requests/s: latency, p99`, 'ms', within(0.99), 1, 20),
  ];
}

async function takenBy(server: keyof typeof SERVERS, directory: string, runs: readonly string[]): Promise<Taken> {
  const all = Array.from({ length: CHECKS }, (_, i) => runs[i % runs.length]!);
  await using resident = await startResident(directory, all, { server, period: '10s' });
  const idle = cpuMsOf(resident.pid);
  await sleep(IDLE_MS);
  const loaded = cpuMsOf(resident.pid);
  const idleMs = loaded - idle;
  const waits = await load(resident.port);
  const perAnswerMs = (cpuMsOf(resident.pid) - loaded - (idleMs * LOAD_S * 1000) / IDLE_MS) / waits.length;
  const status = readFileSync(`/proc/${resident.pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return {
    idleMs,
    perAnswerMs,
    waits,
    anonymousMegabytes: megabytes('RssAnon'),
    residentMegabytes: megabytes('VmRSS'),
  };
}

/** Requests at a fixed rate, without waiting for responses, each on its own connection as the kubelet's. */
async function load(port: number): Promise<number[]> {
  const begun = performance.now();
  const asked = Array.from({ length: REQUESTS_PER_SECOND * LOAD_S }, async (_, i) => {
    const due = begun + (i * 1000) / REQUESTS_PER_SECOND;
    await sleep(Math.max(0, due - performance.now()));
    const from = performance.now();
    const status = await get(port);
    if (status !== 200) throw new Error(`/readyz says ${status}`);
    return performance.now() - from;
  });
  return await Promise.all(asked);
}
