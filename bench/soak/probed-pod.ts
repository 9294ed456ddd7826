import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { EXEC_ARGV } from '../../build/join.ts';
import { freePort } from '../../tools/port.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { HELPERS } from '../../test/support/helper.ts';
import { start, tailOf, tied } from '../../tools/process.ts';
import { listenHttp, listenTcp } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';

const UP_MS = 60_000;
const HEARTBEAT_MS = 500;

export interface ProbedPod extends AsyncDisposable {
  readonly port: number;
  /** Of the resident server. */
  readonly pid: number;
  readonly checks: number;
  /** The status of one request on its own connection, like the kubelet's. */
  ask(path: string): Promise<number>;
  /** Runs of all checks until now. */
  runs(): Promise<number>;
  /** Its last log output, for diagnostics. */
  said(): string;
  residentKilobytes(): number;
  descriptors(): number;
  threads(): number;
}

/**
 * `kolla-probe serve` in front of real sockets and files, with twenty checks of every kind that needs no external
 * server; resolves when all are healthy.
 * @param period of each check, and its timeout, which may not be longer
 * @param trace runs it under strace, which writes there; pid is strace's then
 */
export async function startProbedPod(
  period: string,
  trace?: { readonly strace: string; readonly file: string },
): Promise<ProbedPod> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('soak'));
  const web = stack.use(await listenHttp((_, response) => void response.end('ok\n')));
  const tcp = stack.use(await listenTcp((socket) => void socket.on('error', () => {})));
  const held = stack.use(await heldConnection(tcp.port));
  const socket = stack.use(await listenUnix(join(directory.path, 'socket')));
  const heartbeat = stack.use(await beating(join(directory.path, 'heartbeat')));
  const port = await freePort();
  const runs = [
    `http http://127.0.0.1:${web.port}/`,
    `tcp 127.0.0.1:${tcp.port}`,
    `listen ${web.port}`,
    `connected --any-process ${held.port}`,
    `socket ${socket.path}`,
    `file-age ${heartbeat.path} 60s`,
    'process node',
  ];
  const checks = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `c${i}`,
      {
        run: runs[i % runs.length],
        for: ['readiness', 'liveness'],
        'allow-remote': true,
        period,
        timeout: period,
        failures: 3,
      },
    ]),
  );
  const config = join(directory.path, 'kolla-pod.yaml');
  await writeFile(config, JSON.stringify({ checks }));
  const args = ['serve', '--config', config, '--listen', `127.0.0.1:${port}`];
  const logFile = join(directory.path, 'log');
  // As in the binary: plain node lets the young generation grow to 128 MB if the machine has the memory.
  const words = [process.execPath, ...EXEC_ARGV, HELPERS, 'kolla-probe', ...args];
  const tracing = trace === undefined ? [] : [trace.strace, '-f', '-qq', '-e', 'trace=process', '-o', trace.file];
  const [command = '', ...rest] = [...tracing, ...words];
  const running = stack.use(await start(...tied(command, rest), { logFile, env: { PATH: process.env['PATH'] } }));
  const ask = (path: string) => statusOf(port, path);
  await until('every check to be healthy', async (saw) => {
    if (running.child.exitCode !== null) throw new Error(`it ended: ${tailOf(logFile)}`);
    saw(tailOf(logFile));
    return (await ask('/readyz').catch(() => 0)) === 200 || undefined;
  });
  const kept = stack.move();
  const count = (what: string) => readdirSync(`/proc/${running.pid}/${what}`).length;
  return {
    port,
    pid: running.pid,
    checks: Object.keys(checks).length,
    ask,
    runs: () => runsOf(port),
    said: () => tailOf(logFile),
    residentKilobytes: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]),
    descriptors: () => count('fd'),
    threads: () => count('task'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function statusOf(port: number, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(UP_MS) });
  await response.text();
  return response.status;
}

async function runsOf(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(UP_MS) });
  const counts = (await response.text()).matchAll(/^kolla_probe_check_duration_seconds_count\S+ (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A persistent connection, like a service's to its broker. */
async function heldConnection(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  return { port, [Symbol.dispose]: () => void socket.destroy() };
}

async function listenUnix(path: string) {
  const server = createServer((socket) => void socket.destroy()).listen(path);
  await once(server, 'listening');
  return { path, [Symbol.dispose]: () => void server.close() };
}

async function beating(path: string) {
  await writeFile(path, '');
  const timer = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), HEARTBEAT_MS);
  return { path, [Symbol.dispose]: () => clearInterval(timer) };
}
