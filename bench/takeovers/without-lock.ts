/**
 * kolla-db-sync with a lock that excludes no other process: it takes over the fence row, whichever migrator holds it.
 * Run as a contender instead of the real one, it shows that the journal reveals overlaps.
 */
import { parseArgs } from 'node:util';
import { createLog } from '../../src/core/log.ts';
import { openFence, takeFence } from '../../src/migrate/fence/fence.ts';
import type { Plan } from '../../src/migrate/plan/plan.ts';
import { reach, type Reached } from '../../src/migrate/server/reach.ts';
import { sync } from '../../src/migrate/sync.ts';
import type { TakeTurn } from '../../src/migrate/turn/turn.ts';
import { parseAddress } from '../../src/net/dial/address.ts';
import { parseMysqlUrl, urlAt } from '../../src/mysql/index.ts';

const takeAlways: TakeTurn = async (plan, { signal, log }) => {
  const { target, timeoutMs, galeraDonor } = plan;
  const session = await reach(target, { timeoutMs, signal, log, database: target.database, galeraDonor });
  const claim = { holder: plan.release, service: plan.service, release: plan.release, phase: plan.phase, work: '' };
  for (;;) {
    const row = await openFence(session);
    const takenAt = performance.now();
    const token = await takeFence(session, claim, row);
    if (token !== undefined)
      return { session: blind(session), lockName: 'nobody', claim, token, takenAt, before: { ...row, state: 'new' } };
  }
};

/** A session that reports fence and lock as held at each renewal: a holder that lost its turn keeps writing. */
function blind(session: Reached): Reached {
  const { id, descriptor, localAddress, lost, at, isGalera } = session;
  return {
    id,
    descriptor,
    localAddress,
    lost,
    at,
    isGalera,
    rows: (sql, ...rest) =>
      sql.includes('IS_USED_LOCK') ? Promise.resolve([{ ours: 1 }]) : session.rows(sql, ...rest),
    change: (sql, ...rest) =>
      sql.includes('SET renewed') ? Promise.resolve({ changed: 1, warnings: 0 }) : session.change(sql, ...rest),
    destroy: () => session.destroy(),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    host: { type: 'string', multiple: true, default: [] },
    lease: { type: 'string' },
    'lock-loss': { type: 'string' },
    release: { type: 'string', default: '' },
    lock: { type: 'string' },
    'lease-name': { type: 'string' },
    'admin-user': { type: 'string' },
  },
});
const [service = '', ...argv] = positionals;
const url = process.env['KOLLA_DB_SYNC_CONNECTION'] ?? '';
const plan: Plan = {
  service,
  release: values.release,
  phase: 'command',
  steps: [{ argv: argv as [string, ...string[]] }],
  check: undefined,
  versions: undefined,
  isOneWay: () => false,
  target: { ...parseMysqlUrl(url), places: values.host.map((host) => parseAddress(host)) },
  others: [],
  admin: undefined,
  childEnv: (at) => ({ ...process.env, OS_DATABASE__CONNECTION: urlAt(url, at) }),
  timeoutMs: 30_000,
  lockTimeoutMs: 60_000,
  lossMs: Number.parseInt(values['lock-loss'] ?? '', 10),
  leaseMs: Number.parseInt(values.lease ?? '', 10),
  graceMs: 1000,
  galeraDonor: 'ok',
  accountHost: ['%'],
  rotate: false,
  charset: 'utf8mb3',
  collation: 'utf8mb3_general_ci',
};
const log = createLog({
  helper: 'without-lock',
  level: 'debug',
  format: 'json',
  terminal: { isTerminal: false, color: false, width: 80 },
  write: (text) => process.stderr.write(text),
  now: () => new Date(),
});
const { signal } = new AbortController();
process.exitCode = await sync(plan, { signal, log, redact: (text) => text }, takeAlways);
