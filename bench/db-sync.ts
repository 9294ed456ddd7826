/**
 * The cost of kolla-db-sync's safety: `make bench NAME=db-sync`.
 *
 *   a MariaDB with a Keystone schema at head -> the built kolla-db-sync, the same with an admin account, and Keystone's
 *     own db_sync, alternately -> wall time, CPU time, connections counted by the server
 *   three Galera nodes and an API server -> the holder is killed repeatedly -> time until the next command starts
 */
import { existsSync } from 'node:fs';
import { canRunGalera } from '../test/cluster/galera.ts';
import { canRunKeystone } from '../test/cluster/keystone.ts';
import { canRunControlPlane } from '../test/cluster/kubernetes/index.ts';
import { openArena } from './takeovers/index.ts';
import type { FiguresBench } from './bench.ts';
import { DB_SYNC } from './db-sync-binary.ts';
import { upToDate, type Turn } from './db-sync-up-to-date.ts';
import { takeovers } from './db-sync-takeovers.ts';
import { percentile, round, type Figure } from './figure.ts';

const ROUNDS = 15;
/** Target for a takeover, in addition to the lease. */
const REACH_MS = 2000;
const LEASES = [
  { leaseMs: 2000, lossMs: 1000, samples: 20 },
  { leaseMs: 5000, lossMs: 3000, samples: 20 },
  { leaseMs: 15_000, lossMs: 10_000, samples: 10 },
];

export const dbSync: FiguresBench = {
  name: 'db-sync',
  title: 'kolla-db-sync: schema at head, and takeovers',
  peer: "Keystone's own db_sync",
  capability: async () =>
    existsSync(DB_SYNC)
      ? ((await canRunKeystone()) ?? (await canRunGalera()) ?? (await canRunControlPlane()))
      : `${DB_SYNC} does not exist: run \`make build\``,
  kind: 'figures',
  async run(say) {
    say('nothing to do');
    const { ours, admin, peer } = await upToDate(ROUNDS);
    const figures = [...turnFigures('at head', ours, peer), ...turnFigures('at head, with an admin', admin, peer)];
    await using arena = await openArena();
    for (const plan of LEASES) {
      say(`${plan.samples} takeovers with a lease of ${plan.leaseMs / 1000} s`);
      figures.push(...takeoverFigures(plan.leaseMs, await takeovers(arena, plan)));
    }
    return figures;
  },
};

function turnFigures(what: string, ours: readonly Turn[], peer: readonly Turn[]): Figure[] {
  const figure = (name: string, unit: string, of: (turn: Turn) => number, part: number): Figure => {
    const at = (turns: readonly Turn[]) => round(percentile(turns.map(of), part), 0);
    return { what: `${what}: ${name}`, unit, ours: at(ours), peer: at(peer) };
  };
  return [
    figure('wall time, minimum', 'ms', ({ wallMs }) => wallMs, 0),
    figure('wall time, p50', 'ms', ({ wallMs }) => wallMs, 0.5),
    figure('wall time, p95', 'ms', ({ wallMs }) => wallMs, 0.95),
    figure('CPU, minimum', 'ms', ({ cpuMs }) => cpuMs, 0),
    figure('connections', '', ({ connections }) => connections, 0.5),
  ];
}

function takeoverFigures(leaseMs: number, taken: readonly number[]): Figure[] {
  const what = `takeover, ${leaseMs / 1000} s lease`;
  const at = (part: number) => round(percentile(taken, part) / 1000, 2);
  return [
    { what: `${what}: minimum`, unit: 's', ours: at(0), peer: undefined },
    { what: `${what}: p50`, unit: 's', ours: at(0.5), peer: undefined },
    { what: `${what}: p95`, unit: 's', ours: at(0.95), peer: undefined, reach: (leaseMs + REACH_MS) / 1000 },
    { what: `${what}: maximum`, unit: 's', ours: at(1), peer: undefined },
  ];
}
