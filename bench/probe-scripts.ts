/** Each of Kolla's scripts beside ours, in a network of its own: prints Figures as JSON. Run by probe.ts in namespaces. */
import { cp, chmod, mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { shimFor, type KollaName } from '../src/probe/kolla/index.ts';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import { standIns } from './census/stand-in.ts';
import { privateFolder } from '../tools/folder.ts';
import { start } from '../tools/process.ts';
import { round, type Figure } from './figure.ts';
import { measuring, type Measured } from './measured.ts';
import { brokerFigures } from './probe-broker.ts';
import { cpuMsOf, residentFigures, startResident } from './probe-resident.ts';

const BIN = fileURLToPath(new URL('../dist/bin', import.meta.url));
const ROUNDS = 20;
/** The server keeps an answer for a second; who asks anew each time costs what asking costs. */
const ROUND_MS = 1200;
/** On a node whose processes the container sees (hostPID), as Kolla's compute containers do. */
const OTHER_PROCESSES = 150;
const SOCKET = '/run/libvirt/libvirt-sock';

await using folder = await privateFolder('probe');
const { path } = folder;
const measure = await measuring(path);
const make = await standIns(path);
const env = { PATH: process.env['PATH'] };
const file = join(path, 'heartbeat');
await writeFile(file, '');
await mkdir(join(path, 'shims'));

const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
server.listen(5672, '127.0.0.1');
await once(server, 'listening');
await using worker = await make({ name: 'nova-compute' });
// A service of oslo.messaging has several.
for (let i = 0; i < 4; i++) await worker.does(['connect', '127.0.0.1', 5672]);
await using listener = await make({ name: 'memcached' });
await listener.does(['listen', 11_211]);
await using api = await make({ name: 'nova-api' });
await api.does(['answer', 8774, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}']);
await using local = await make({ name: 'libvirtd' });
await mkdir('/run/libvirt');
await local.does(['unix', SOCKET]);

const WORK: readonly (readonly [KollaName, ...string[]])[] = [
  ['healthcheck_port', 'nova-compute', '5672'],
  ['healthcheck_listen', 'memcached', '11211'],
  ['healthcheck_curl', 'http://127.0.0.1:8774/'],
  ['healthcheck_socket', 'libvirtd', SOCKET],
  ['healthcheck_filemod', file, '86400'],
];

interface Taken {
  readonly peer: Measured[];
  readonly binary: Measured[];
  readonly shim: Measured[];
  /** The resident server's, of the shim's questions. */
  readonly serverMs: number[];
}

const scripts = join(path, 'kolla');
for (const [name] of WORK) {
  await cp(join(await kollaPackage(), 'base', name), join(scripts, name));
  await chmod(join(scripts, name), 0o755);
  await writeFile(join(path, 'shims', name), shimFor(name, '/nonexistent'), { mode: 0o755 });
}
const few = await rounds(WORK);
const figures = WORK.flatMap(([name]) => figuresOf(name, few.get(name)!));
{
  await using stack = new AsyncDisposableStack();
  for (let i = 0; i < OTHER_PROCESSES; i++) stack.use(await start('sleep', ['infinity']));
  const [port = ['healthcheck_port'] as const] = WORK;
  const many = await rounds([port]);
  figures.unshift(...ratios(`${port[0]} among ${OTHER_PROCESSES} processes`, many.get(port[0])!));
}
figures.push(...(await residentFigures(path)), ...(await brokerFigures(path, measure)));
server.close();
process.stdout.write(JSON.stringify(figures));

/** Kolla's script, the binary and the shim in turns, again and again. */
async function rounds(work: typeof WORK): Promise<Map<string, Taken>> {
  await using resident = await startResident(path, []);
  const taken = new Map<string, Taken>(work.map(([name]) => [name, { peer: [], binary: [], shim: [], serverMs: [] }]));
  for (let i = 0; i < ROUNDS; i++) {
    const enough = sleep(ROUND_MS);
    for (const [name, ...words] of work) {
      const { peer, binary, shim, serverMs } = taken.get(name)!;
      peer.push(await measure([join(scripts, name), ...words], env));
      binary.push(await measure([join(BIN, name), ...words], env));
      const before = cpuMsOf(resident.pid);
      shim.push(await measure([join(path, 'shims', name), ...words], env));
      serverMs.push(cpuMsOf(resident.pid) - before);
    }
    await enough;
  }
  return taken;
}

function least(runs: readonly Measured[], what: keyof Measured): number {
  return Math.min(...runs.map((one) => one[what]));
}

/** The shim's own and what the server takes to answer it, in the same run. */
function shimMs({ shim, serverMs }: Taken): number {
  return Math.min(...shim.map(({ cpuMs }, i) => cpuMs + (serverMs[i] ?? 0)));
}

/** Beside what Kolla's script takes. */
function ratios(what: string, taken: Taken): Figure[] {
  const { peer, binary, shim } = taken;
  const times = (ours: number) => round(ours / least(peer, 'cpuMs'), 2);
  return [
    { what: `${what}, shim: CPU`, unit: '×', ours: times(least(shim, 'cpuMs')), peer: 1, reach: 0.2 },
    { what: `${what}, shim and server: CPU`, unit: '×', ours: times(shimMs(taken)), peer: 1 },
    { what: `${what}, binary: CPU`, unit: '×', ours: times(least(binary, 'cpuMs')), peer: 1, reach: 1.6 },
    {
      what: `${what}, shim and server: CPU`,
      unit: 'ms',
      ours: round(shimMs(taken), 1),
      peer: round(least(peer, 'cpuMs'), 1),
    },
  ];
}

function figuresOf(name: string, taken: Taken): Figure[] {
  const { peer, binary, shim } = taken;
  const figure = (what: string, unit: string, ours: number, of: keyof Measured): Figure => ({
    what: `${name}, ${what}`,
    unit,
    ours: round(ours, 1),
    peer: round(least(peer, of), 1),
  });
  const rows = [
    figure('binary: CPU', 'ms', least(binary, 'cpuMs'), 'cpuMs'),
    figure('shim and server: CPU', 'ms', shimMs(taken), 'cpuMs'),
    figure('binary: wall', 'ms', least(binary, 'wallMs'), 'wallMs'),
    figure('shim: wall', 'ms', least(shim, 'wallMs'), 'wallMs'),
  ];
  if (name !== 'healthcheck_port') return rows;
  return [
    ...ratios(`${name} in a pod`, taken),
    ...rows,
    figure('binary: memory', 'MB', least(binary, 'megabytes'), 'megabytes'),
    figure('shim: memory', 'MB', least(shim, 'megabytes'), 'megabytes'),
  ];
}
