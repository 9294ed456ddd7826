/**
 * kolla-db-sync: migrates a service's database schema, one migrator at a time.
 *
 *   service -> its data (catalog/, or kolla-pod.yaml) -> database URLs -> server reached -> databases, accounts, grants
 *     ensured (admin only) -> recorded as done and confirmed by the tool's check: nothing to do
 *     -> contract and online: wait until no replica of an older release is left
 *     -> lock: a Lease, if there is an API server; GET_LOCK, held by our session, the guard and the command; the fence
 *     row with the next token, which on Galera is free when its holder has finished or not renewed it for a lease; Lease
 *     and row are renewed until the record
 *     -> an interrupted predecessor is fenced -> the phase's steps, each in its own process group, supervised
 *     -> record of service, release and phase, published on the Lease on release
 *
 * Without the lock no step starts; when the lock is lost the step is stopped. Errors: a wrong URL or file (65), servers
 * or lock lost (69), a wait that timed out (75), an account or a Role (77), and the step itself, whose exit code
 * becomes ours. Fence and record are in the service's own database: see docs/adr.
 */
import { command, type Command, type Context, type Helper, type Input } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { knownServices, type Step } from '../catalog/index.ts';
import { ensureCommand } from './ensure/index.ts';
import { SYNC_OPTIONS } from './options/options.ts';
import { stepsOf } from './plan/phases.ts';
import { prepareSync } from './prepare.ts';
import { rbacCommand } from './rbac.ts';
import { status } from './record/status.ts';
import { redacted } from '../core/redacted.ts';
import type { OnStage } from './plan/stage.ts';
import { sync } from './sync.ts';
import { serviceOf } from './server/target.ts';
import { upgradeCheckCommand } from './upgrade-check.ts';

const MAIN = {
  summary: "Migrates a service's database schema, one migrator at a time.",
  description:
    'Waits for the server; creates database, account and grants when --admin-user is given; takes the ' +
    "lock; runs the service's migration, a phase of it, or the command after --; records the result. A " +
    'second migrator waits, and exits without changes when another has finished the same migration, or ' +
    "when it is recorded as done and the service's tool confirms it. Exits with the command's code.",
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  child: 'COMMAND',
  options: SYNC_OPTIONS,
  examples: [
    { line: 'kolla-db-sync keystone', does: 'with the URL from /etc/keystone/keystone.conf' },
    {
      line: 'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1',
      does: 'also create database and account',
    },
    {
      line: 'kolla-db-sync keystone --host mariadb-0 --host mariadb-1 --host mariadb-2',
      does: 'on Galera, through the first usable node',
    },
    { line: 'kolla-db-sync keystone --phase expand --release 2026.1', does: 'only the phase before a rollout' },
    {
      line: 'kolla-db-sync keystone --phase contract --release 2026.1 --after-rollout deployment/keystone',
      does: 'the phase after the rollout, once the last old Pod is gone',
    },
    {
      line: 'kolla-db-sync keystone -- keystone-manage db_sync --expand',
      does: 'run another command, holding the lock',
    },
    {
      line: 'kolla-db-sync keystone --stay',
      does: 'as a native sidecar, whose startup probe on /startupz delays the service',
    },
  ],
} satisfies Omit<Command<typeof SYNC_OPTIONS>, 'run'>;

/** The part of the helper that needs no `stay`; dbSyncHelper() adds the default command. */
export const DB_SYNC = {
  name: 'kolla-db-sync',
  summary: "Migrates a service's database, one migrator at a time.",
  commands: { ensure: ensureCommand, rbac: rbacCommand, status, 'upgrade-check': upgradeCheckCommand },
} satisfies Helper;

/**
 * @param stay migrates, serves probes and keeps running: for `--stay`
 */
export function dbSyncHelper(stay: (input: Input<typeof SYNC_OPTIONS>, context: Context) => Promise<ExitCode>): Helper {
  const run = async (input: Input<typeof SYNC_OPTIONS>, context: Context) =>
    input.options.stay ? await stay(input, context) : await migrate(input, context);
  return { ...DB_SYNC, main: command({ ...MAIN, run }) };
}

type MigrateContext = Pick<Context, 'signal' | 'log' | 'podFile' | 'live' | 'inherited'>;

/**
 * Migrates once. The exit code is the command's, or 0 if there was nothing to do.
 * @param onStage called at the start of each stage
 */
export async function migrate(
  { operands: [name = ''], options, child }: Input<typeof SYNC_OPTIONS>,
  context: MigrateContext,
  onStage?: OnStage,
): Promise<ExitCode> {
  const { signal, log, podFile, live } = context;
  const service = serviceOf(name, await knownServices(podFile));
  const own = ownStep(child);
  if (own === undefined && stepsOf(service, options.phase).length === 0) {
    log.info(`${name} has no phase ${options.phase}: nothing to do`);
    return ExitCode.ok;
  }
  using prepared = await prepareSync({ service, options, own }, context);
  const { plan, redact } = prepared;
  return await redacted(redact, () => sync(plan, { signal, log, redact, onStage, live }));
}

function ownStep([program, ...words]: readonly string[]): Step | undefined {
  return program === undefined ? undefined : { argv: [program, ...words] };
}

export { makeReady } from './ensure/index.ts';
export { lookAtDatabase, lookAtSchema, lookAtTool } from './look.ts';
export { MIGRATION_OPTIONS, PLACE_OPTIONS, SYNC_OPTIONS } from './options/options.ts';
export { stepsOf } from './plan/phases.ts';
export type { Effects } from './plan/plan.ts';
export { prepareSync, requireTools, type Prepared } from './prepare.ts';
export { showStatus } from './record/status.ts';
export { syncReady } from './sync.ts';
export { serviceOf } from './server/target.ts';
export { findTasks, TOOL_OPTIONS, type Task } from './tool/index.ts';
export { underLock, type Locked } from './under-lock.ts';
export { explainErrors } from './explain.ts';
