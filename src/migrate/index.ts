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
import { DB_SYNC, SYNC, type SYNC_COMMANDS } from './options/main.ts';
import type { SYNC_OPTIONS } from './options/options.ts';
import { stepsOf } from './plan/phases.ts';
import { prepareSync } from './prepare.ts';
import { rbacCommand } from './rbac.ts';
import { reporting } from './report.ts';
import { status } from './record/status.ts';
import { redacted } from '../core/redacted.ts';
import type { OnStage } from './plan/stage.ts';
import { sync } from './sync.ts';
import { serviceOf } from './plan/service-of.ts';
import { upgradeCheckCommand } from './upgrade-check.ts';

const COMMANDS = {
  ensure: ensureCommand,
  rbac: rbacCommand,
  status,
  'upgrade-check': upgradeCheckCommand,
} satisfies Record<(typeof SYNC_COMMANDS)[number], Command>;

/** @param stay executes kolla-core, which runs us, serves probes and keeps running: for `--stay` */
export function dbSyncHelper(stay: () => Promise<ExitCode>): Helper {
  const run = async (input: Input<typeof SYNC_OPTIONS>, context: Context) => {
    const { options } = input;
    if (!options.reportStages) return options.stay ? await stay() : await migrate(input, context);
    // As the lines of the sidecar's other components.
    const inSidecar = { ...context, live: undefined, log: context.log.with({ component: 'db-sync' }) };
    return await reporting((onStage) => migrate(input, inSidecar, onStage), options, context);
  };
  const { name, summary } = DB_SYNC;
  return { name, summary, commands: COMMANDS, main: command({ ...SYNC, run }) };
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
export { isUrlGiven } from './server/target.ts';
export { serviceOf } from './plan/service-of.ts';
export { findTasks, TOOL_OPTIONS, type Task } from './tool/index.ts';
export { underLock, type Locked } from './under-lock.ts';
export { explainErrors } from './explain.ts';
