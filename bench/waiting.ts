/**
 * What a Pod costs while it waits, and what a probe over TLS costs: `make bench NAME=waiting`.
 *
 *   a real control plane, a ServiceAccount mounted as in a Pod (a mount namespace: needs root) -> kolla-init that waits for
 *   a Job, with a Service that is ready and a Pod that must not exist -> peak memory, and CPU time once all are watched
 *   an HTTPS server -> kolla-probe http, and serve with 20 checks of which 10 are over TLS -> CPU time, memory
 *
 * kolla-core and kolla-pod by turns.
 */
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectKube, type KubeClient } from '../src/kube/index.ts';
import { makeAuthority } from '../test/cluster/authority.ts';
import { canRunControlPlane, startControlPlane } from '../test/cluster/kubernetes/index.ts';
import { until } from '../test/support/until.ts';
import { inMemory, privateDirectory } from '../tools/directory.ts';
import { start } from '../tools/process.ts';
import type { FiguresBench } from './bench.ts';
import { percentile, round, type Figure } from './figure.ts';
import { canMeasure, measuring, type Measured } from './measured.ts';
import { cpuMsOf, startResident } from './probe-resident.ts';
import { asInPod, mountable } from './mounted-account.ts';
import { endpoint, job } from './waited.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const ENGINES = ['kolla-core', 'kolla-pod'] as const;
type Engine = (typeof ENGINES)[number];
const ROUNDS = 12;
/** How often each check of `serve` has run when its memory is read. */
const RUNS = 10;
const REACH = { waitMegabytes: 6, waitCpuMs: 15, probeCpuMs: 4, probeMegabytes: 4, serveMegabytes: 5 } as const;
interface Waited {
  readonly megabytes: number;
  readonly cpuMs: number;
  /** From the API server's reply to the completing change until the exit. */
  readonly exitMs: number;
}

export const waiting: FiguresBench = {
  kind: 'figures',
  name: 'waiting',
  title: 'A Pod that waits for API objects, and probes over TLS',
  peer: 'the same in kolla-pod (Node)',
  subject: 'kolla-core',
  capability: async () =>
    existsSync(join(DIST, 'bin/kolla-init'))
      ? ((await canRunControlPlane()) ?? (await canMeasure()))
      : 'dist/bin does not exist: run `make build`',
  run: async (say) => [...(await waits(say)), ...(await probes(say))],
};

async function waits(say: (text: string) => void): Promise<Figure[]> {
  await using cluster = await startControlPlane();
  await using directory = await privateDirectory('bench-waiting', inMemory());
  await mountable(cluster, directory.path);
  using client = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
  const taken: Record<Engine, Waited[]> = { 'kolla-core': [], 'kolla-pod': [] };
  say('a wait for a Job, a Service and a Pod');
  for (let n = 1; n <= 2 * ROUNDS; n++) {
    const engine = ENGINES[n % 2]!;
    taken[engine].push(await waitOnce(engine, client, cluster.apiServer.port, directory.path, n));
  }
  const all = (of: (waited: Waited) => number) => [taken['kolla-core'].map(of), taken['kolla-pod'].map(of)] as const;
  const [core, pod] = all(({ megabytes }) => megabytes);
  const [coreCpu, podCpu] = all(({ cpuMs }) => cpuMs);
  const [coreExit, podExit] = all(({ exitMs }) => exitMs);
  return [
    figure(
      'waiting for a Job, a Service and a Pod: peak memory',
      'MB',
      Math.max(...core),
      Math.max(...pod),
      REACH.waitMegabytes,
    ),
    figure('CPU until all are watched', 'ms', Math.min(...coreCpu), Math.min(...podCpu), REACH.waitCpuMs),
    figure('Job Complete to exit: p50', 'ms', percentile(coreExit, 0.5), percentile(podExit, 0.5)),
  ];
}

async function waitOnce(engine: Engine, client: KubeClient, port: number, account: string, n: number): Promise<Waited> {
  const [done, ready] = [job(client, n), endpoint(client, n)];
  for (const each of [done, ready]) await each.create();
  await ready.meet();
  const words = ['--config-dir', '/no/config', '--allow-no-config', '--log-format', 'json', '--timeout', '10m'];
  const waitWords = [done.wait, ready.wait, '!pod/none'].flatMap((wait) => ['--wait', wait]);
  const program = engine === 'kolla-core' ? [join(DIST, 'bin/kolla-init')] : [join(DIST, 'kolla-pod'), 'kolla-init'];
  const command = asInPod(account, port, [...program, ...words, ...waitWords]);
  await using running = await start(...command.words, { env: command.env, keepOutput: true });
  let said = '';
  running.child.stderr!.on('data', (piece: Buffer) => (said += piece.toString()));
  running.child.stdout!.resume();
  const isSeen = (wait: string) => said.includes(`"${wait}: ready`);
  await until('both others to be ready', () => (isSeen(ready.wait) && isSeen('!pod/none')) || undefined);
  await until('the Job to be seen', () => said.includes(`"${done.wait}: `) || undefined);
  const [, kilobytes = NaN] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8')) ?? [];
  const cpuMs = cpuMsOf(running.pid);
  await done.meet();
  const replied = performance.now();
  await running.ended;
  return { megabytes: Number(kilobytes) / 1024, cpuMs, exitMs: performance.now() - replied };
}

async function probes(say: (text: string) => void): Promise<Figure[]> {
  await using directory = await privateDirectory('bench-probes', inMemory());
  const authority = makeAuthority('bench');
  const { certificate, key } = authority.issue({ commonName: 'bench', hosts: ['127.0.0.1'] });
  const ca = join(directory.path, 'ca.crt');
  await writeFile(ca, authority.certificate);
  const server = createServer({ cert: certificate, key }, (_, response) => void response.end('ok'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    say('kolla-probe http over TLS');
    const measure = await measuring(directory.path);
    const taken: Record<Engine, Measured[]> = { 'kolla-core': [], 'kolla-pod': [] };
    const words = ['http', `https://127.0.0.1:${port}/`, '--ca-file', ca, '--timeout', '30s'];
    for (let n = 0; n < 2 * ROUNDS; n++) {
      const engine = ENGINES[n % 2]!;
      const program = engine === 'kolla-core' ? [join(DIST, 'bin/kolla-probe')] : [join(DIST, 'kolla-pod'), 'probe'];
      taken[engine].push(await measure([...program, ...words], { PATH: process.env['PATH'] }));
    }
    const of = (engine: Engine) => taken[engine];
    const least = (engine: Engine) => Math.min(...of(engine).map(({ cpuMs }) => cpuMs));
    const most = (engine: Engine) => Math.max(...of(engine).map(({ megabytes }) => megabytes));
    say('kolla-probe serve, ten checks over TLS and ten without');
    const checks = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? `http https://127.0.0.1:${port}/ --ca-file ${ca}` : `tcp 127.0.0.1:${port}`,
    );
    const anonymous = async (engine: Engine) => await anonymousOf(engine, directory.path, checks);
    return [
      figure('one https probe: CPU', 'ms', least('kolla-core'), least('kolla-pod'), REACH.probeCpuMs),
      figure('one https probe: peak memory', 'MB', most('kolla-core'), most('kolla-pod'), REACH.probeMegabytes),
      figure(
        'serve, 20 checks of which 10 over TLS: anonymous memory',
        'MB',
        await anonymous('kolla-core'),
        await anonymous('kolla-pod'),
        REACH.serveMegabytes,
      ),
    ];
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Once each check has run RUNS times. */
async function anonymousOf(server: Engine, directory: string, checks: readonly string[]): Promise<number> {
  await using resident = await startResident(directory, checks, { server, period: '1s' });
  await until('ten runs', async () => {
    const text = await (await fetch(`http://127.0.0.1:${resident.port}/metrics`)).text();
    const counts = [...text.matchAll(/^kolla_probe_check_duration_seconds_count\{[^}]*\} (\d+)$/gm)];
    return (counts.length > 0 && counts.every(([, count]) => Number(count) >= RUNS)) || undefined;
  });
  const [, kilobytes = NaN] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${resident.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function figure(what: string, unit: string, ours: number, peer: number, reach?: number): Figure {
  return { what, unit, ours: round(ours, 1), peer: round(peer, 1), ...(reach !== undefined && { reach }) };
}
