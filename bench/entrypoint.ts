/**
 * kubernetes-entrypoint beside the original: `make bench NAME=entrypoint`.
 *
 *   a real control plane, a ServiceAccount mounted as in a Pod (needs root) -> four Jobs that are not complete and three
 *   Services without endpoints -> both wait for a minute, by turns -> memory, CPU time
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectKube } from '../src/kube/index.ts';
import { canRunOriginal, ORIGINAL } from '../test/cluster/kubernetes-entrypoint.ts';
import { canRunControlPlane, startControlPlane } from '../test/cluster/kubernetes/index.ts';
import { until } from '../test/support/until.ts';
import { inMemory, privateDirectory } from '../tools/directory.ts';
import { start } from '../tools/process.ts';
import type { FiguresBench } from './bench.ts';
import { round } from './figure.ts';
import { asInPod, mountable } from './mounted-account.ts';
import { cpuMsOf } from './probe-resident.ts';
import { job, NAMESPACE } from './waited.ts';

const OURS = fileURLToPath(new URL('../dist/bin/kubernetes-entrypoint', import.meta.url));
const MINUTE_MS = 60_000;
/** Start and first requests are not part of the minute. */
const SETTLE_MS = 5000;
const JOBS = [1, 2, 3, 4];
const SERVICES = [1, 2, 3];
/** Parts of the original's cost. */
const REACH = { megabytes: 0.25, cpu: 0.05 } as const;

interface Taken {
  readonly megabytes: number;
  readonly cpuMs: number;
}

export const entrypoint: FiguresBench = {
  kind: 'figures',
  name: 'entrypoint',
  title: 'kubernetes-entrypoint: four Jobs and three Services for a minute',
  peer: 'the original (Go)',
  subject: 'kolla-core',
  capability: async () =>
    existsSync(OURS)
      ? ((await canRunOriginal()) ?? (await canRunControlPlane()))
      : `${OURS} does not exist: run \`make build\``,
  async run(say) {
    await using cluster = await startControlPlane();
    await using directory = await privateDirectory('bench-entrypoint', inMemory());
    await mountable(cluster, directory.path);
    using client = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
    for (const n of JOBS) await job(client, n).create();
    const wait = async (program: string): Promise<Taken> => {
      const { words, env } = asInPod(directory.path, cluster.apiServer.port, [program]);
      const variables = {
        NAMESPACE,
        POD_NAME: 'bench',
        DEPENDENCY_JOBS: JOBS.map((n) => `job-${n}`).join(','),
        DEPENDENCY_SERVICE: SERVICES.map((n) => `${NAMESPACE}:service-${n}`).join(','),
      };
      await using running = await start(...words, { env: { ...env, ...variables }, keepOutput: true });
      let said = '';
      for (const stream of [running.child.stdout!, running.child.stderr!])
        stream.on('data', (piece: Buffer) => (said += piece.toString()));
      await until(
        'all to be waited for',
        () =>
          [...JOBS.map((n) => `job-${n}`), ...SERVICES.map((n) => `service-${n}`)].every((name) =>
            said.includes(name),
          ) || undefined,
      );
      await sleep(SETTLE_MS);
      const before = cpuMsOf(running.pid);
      await sleep(MINUTE_MS);
      const status = readFileSync(join('/proc', String(running.pid), 'status'), 'utf8');
      const [, kilobytes = NaN] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
      return { megabytes: Number(kilobytes) / 1024, cpuMs: cpuMsOf(running.pid) - before };
    };
    say('ours');
    const ours = await wait(OURS);
    say('the original');
    const peer = await wait(ORIGINAL!);
    return [
      {
        what: 'peak memory',
        unit: 'MB',
        ours: round(ours.megabytes, 1),
        peer: round(peer.megabytes, 1),
        reach: round(peer.megabytes * REACH.megabytes, 1),
      },
      {
        what: 'CPU in a minute of waiting',
        unit: 'ms',
        ours: round(ours.cpuMs, 1),
        peer: round(peer.cpuMs, 1),
        reach: round(peer.cpuMs * REACH.cpu, 1),
      },
    ];
  },
};
