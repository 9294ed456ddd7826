/**
 * Each of Kolla's scripts against ours, in a network namespace: prints Figures as JSON. Run by probe.ts in namespaces.
 */
import { cp, chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KollaName } from '../src/probe/kolla/index.ts';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import { standIns } from './census/stand-in.ts';
import { privateDirectory } from '../tools/directory.ts';
import { start } from '../tools/process.ts';
import { round, type Figure } from './figure.ts';
import { measuring, type Measured } from './measured.ts';
import { brokerFigures } from './probe-broker.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const ROUNDS = 20;
/** As on a node whose processes the container sees (hostPID), like Kolla's compute containers. */
const OTHER_PROCESSES = 150;
/** As on a node with a busy broker or database. */
const MANY_SOCKETS = 10_000;
const MANY_REACH = 0.7;
const SOCKET = '/run/libvirt/libvirt-sock';

await using directory = await privateDirectory('probe');
const { path } = directory;
const measure = await measuring(path);
const make = await standIns(path);
const env = { PATH: process.env['PATH'] };
const file = join(path, 'heartbeat');
await writeFile(file, '');
await mkdir(join(path, 'pod'));

const server = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
server.listen(5672, '127.0.0.1');
await once(server, 'listening');
await using worker = await make({ name: 'nova-compute' });
// A service using oslo.messaging has several connections.
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

const REACH: Readonly<Partial<Record<KollaName, number>>> = {
  healthcheck_port: 0.7,
  healthcheck_listen: 0.4,
  healthcheck_filemod: 0.4,
  healthcheck_curl: 0.4,
};

interface Taken {
  readonly peer: Measured[];
  readonly core: Measured[];
  readonly pod: Measured[];
}

const scripts = join(path, 'kolla');
for (const [name] of WORK) {
  await cp(join(await kollaPackage(), 'base', name), join(scripts, name));
  await chmod(join(scripts, name), 0o755);
  await symlink(join(DIST, 'kolla-pod'), join(path, 'pod', name));
}
const few = await rounds(WORK);
const figures = WORK.flatMap(([name]) => figuresOf(name, few.get(name)!));
{
  await using stack = new AsyncDisposableStack();
  for (let i = 0; i < OTHER_PROCESSES; i++) stack.use(await start('sleep', ['infinity']));
  const [port = ['healthcheck_port'] as const] = WORK;
  const many = await rounds([port]);
  figures.unshift(ratio(`${port[0]}, ${OTHER_PROCESSES} other processes`, many.get(port[0])!, REACH[port[0]]));
}
{
  await using _ = await connections(MANY_SOCKETS / 2);
  const [port = ['healthcheck_port'] as const, listen = ['healthcheck_listen'] as const] = WORK;
  const many = await rounds([port, listen]);
  for (const [name] of [port, listen])
    figures.push(ratio(`${name}, ${MANY_SOCKETS} sockets`, many.get(name)!, MANY_REACH));
}
figures.push(...(await brokerFigures(path, measure)));
server.close();
process.stdout.write(JSON.stringify(figures));

/** Other processes' connections, with both ends in this network namespace. */
async function connections(count: number): Promise<AsyncDisposable> {
  const held: Socket[] = [];
  const other = createServer((socket) => held.push(socket));
  other.listen(3306, '127.0.0.1');
  await once(other, 'listening');
  for (let i = 0; i < count; i++) {
    const socket = connect(3306, '127.0.0.1');
    await once(socket, 'connect');
    held.push(socket);
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of held) socket.destroy();
      other.close();
      await once(other, 'close');
    },
  };
}

/** Repeatedly runs Kolla's script, kolla-core and kolla-pod, alternately. */
async function rounds(work: typeof WORK): Promise<Map<string, Taken>> {
  const taken = new Map<string, Taken>(work.map(([name]) => [name, { peer: [], core: [], pod: [] }]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, ...words] of work) {
      const { peer, core, pod } = taken.get(name)!;
      peer.push(await measure([join(scripts, name), ...words], env));
      core.push(await measure([join(DIST, 'bin', name), ...words], env));
      pod.push(await measure([join(path, 'pod', name), ...words], env));
    }
  }
  return taken;
}

function least(runs: readonly Measured[], what: keyof Measured): number {
  return Math.min(...runs.map((one) => one[what]));
}

/** Relative to Kolla's script. */
function ratio(what: string, { peer, core }: Taken, reach: number | undefined): Figure {
  const ours = round(least(core, 'cpuMs') / least(peer, 'cpuMs'), 2);
  return { what: `${what}: CPU ratio`, unit: '×', ours, peer: 1, ...(reach !== undefined && { reach }) };
}

function figuresOf(name: KollaName, taken: Taken): Figure[] {
  const { peer, core, pod } = taken;
  const figure = (what: string, unit: string, ours: number, of: keyof Measured): Figure => ({
    what: `${name}${what}`,
    unit,
    ours: round(ours, 1),
    peer: round(least(peer, of), 1),
  });
  return [
    ratio(name, taken, REACH[name]),
    figure(': CPU', 'ms', least(core, 'cpuMs'), 'cpuMs'),
    figure(': wall time', 'ms', least(core, 'wallMs'), 'wallMs'),
    figure(': memory', 'MB', least(core, 'megabytes'), 'megabytes'),
    figure(' in kolla-pod: CPU', 'ms', least(pod, 'cpuMs'), 'cpuMs'),
  ];
}
