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

const PROBE = fileURLToPath(new URL('../dist/bin/kolla-probe', import.meta.url));
const CHECKS = 20;
const REQUESTS_PER_SECOND = 200;
const LOAD_S = 10;
const IDLE_MS = 20_000;

export interface Resident extends Running {
  readonly port: number;
}

/** What a process has taken so far, all threads, in milliseconds; to the nanosecond, unlike /proc/PID/stat. */
export function cpuMsOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Starts the built binary's server with these checks, each asked once a second; resolves when it answers. */
export async function startResident(folder: string, runs: readonly string[]): Promise<Resident> {
  const port = await freePort();
  const config = join(folder, `kolla-pod-${port}.yaml`);
  const checks = runs.map((run, i) => [`check-${i}`, { run, for: ['readiness'], period: '1s' }]);
  await writeFile(config, JSON.stringify({ checks: Object.fromEntries(checks) as object }));
  const args = ['serve', '--listen', `127.0.0.1:${port}`, '--config', config];
  const running = await start(...tied(PROBE, args), {
    env: { PATH: process.env['PATH'] },
    logFile: join(folder, 'serve.log'),
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

/** What the server takes for itself, for a probe, and how soon it answers many. */
export async function residentFigures(folder: string): Promise<Figure[]> {
  const run = 'connected nova-compute 5672';
  await using resident = await startResident(
    folder,
    Array.from({ length: CHECKS }, () => run),
  );
  const before = cpuMsOf(resident.pid);
  await sleep(IDLE_MS);
  const perCheck = (cpuMsOf(resident.pid) - before) / ((IDLE_MS / 1000) * CHECKS);
  const loaded = cpuMsOf(resident.pid);
  const waits = await load(resident.port);
  const perAnswer = (cpuMsOf(resident.pid) - loaded - perCheck * CHECKS * LOAD_S) / waits.length;
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${resident.pid}/status`, 'utf8')) ?? [];
  const figure = (what: string, unit: string, ours: number, digits: number): Figure => ({
    what: `resident, ${what}`,
    unit,
    ours: round(ours, digits),
    peer: undefined,
  });
  return [
    figure('a check `connected`: CPU', 'ms', perCheck, 2),
    figure('an answer to httpGet: CPU', 'ms', perAnswer, 2),
    figure(`${REQUESTS_PER_SECOND} requests a second, 50 % within`, 'ms', percentile(waits, 0.5), 1),
    figure(`${REQUESTS_PER_SECOND} requests a second, 99 % within`, 'ms', percentile(waits, 0.99), 1),
    figure(`memory with ${CHECKS} checks`, 'MB', Number(kilobytes) / 1024, 0),
  ];
}

/** Each at its time, whether the last was answered or not, on a connection of its own as the kubelet's. */
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
