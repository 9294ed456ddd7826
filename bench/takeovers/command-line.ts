import { fileURLToPath } from 'node:url';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import type { Arena } from './arena.ts';

const MIGRATION = fileURLToPath(new URL('migration.ts', import.meta.url));
export const ACCOUNT_PASSWORD = 'secret-of-the-service';

/** Options of a lane's contenders. */
export interface LaneOptions {
  readonly contenders?: number;
  /** The Lease with the row, or the row alone. Default: lease. */
  readonly lock?: 'lease' | 'row';
  /** Runs instead of kolla-db-sync: a file with the same interface. */
  readonly program?: string;
  readonly leaseMs: number;
  readonly lossMs: number;
}

/** Arguments of a contender with these hosts, in this order. */
export function argsOf(
  { leaseMs, lossMs, lock = 'lease' }: LaneOptions,
  name: string,
  who: string,
  nodes: readonly GaleraNode[],
): string[] {
  const hosts = nodes.flatMap(({ host, port }) => ['--host', `${host}:${port}`]);
  const times = ['--lease', `${leaseMs}ms`, '--lock-loss', `${lossMs}ms`];
  const locks = ['--lock', lock, '--lease-name', name, '--admin-user', 'root'];
  return ['keystone', ...hosts, ...times, ...locks, '--release', who, '--', process.execPath, MIGRATION];
}

export function envOf(
  { galera }: Arena,
  database: string,
  { who, gate, kubeconfig }: { who: string; gate: string; kubeconfig: string },
): NodeJS.ProcessEnv {
  const [first] = galera.nodes as [GaleraNode];
  return {
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:${ACCOUNT_PASSWORD}@${first.host}:${first.port}/${database}`,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: galera.rootPassword,
    KUBECONFIG: kubeconfig,
    // Otherwise each migration strips the types of its imports again, for half of its start.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    KP_WHO: who,
    KP_PORTS: galera.nodes.map(({ port }) => port).join(),
    KP_GATE: gate,
  };
}
