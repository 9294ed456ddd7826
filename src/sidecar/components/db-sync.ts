import type { Input } from '../../cli/command.ts';
import { optionsOf } from '../../cli/section.ts';
import type { Backoff } from '../../core/backoff.ts';
import { ConfigError, ExitCode, KollaError, UsageError } from '../../core/errors.ts';
import { knownServices, PHASES, type Phase } from '../../catalog/index.ts';
import { ownPlace } from '../../kube/own-place.ts';
import { DB_SYNC } from '../../migrate/options/main.ts';
import { SYNC_OPTIONS } from '../../migrate/options/options.ts';
import { stepsOf } from '../../migrate/plan/phases.ts';
import { serviceOf } from '../../migrate/plan/service-of.ts';
import type { OnStage } from '../../migrate/plan/stage.ts';
import { healthRoute } from '../../net/http/router.ts';
import { requireSafePod } from './own-pod.ts';
import type { Making, PreparedComponent, Component, ComponentRun } from './component.ts';
import type { MigrationStatus } from '../status/document.ts';

/** Backoff like the kubelet's for a Job's Pod, because repeating a failed migration is expensive. */
const BACKOFF: Backoff = { minMs: 10_000, maxMs: 300_000 };
/** Time after --grace to stop the command, record its end and release the lock: see docs/reference/kolla-db-sync.md. */
const STOPPING_MS = 15_000;
const STAGES_KEPT = 20;

/**
 * Migrates once. Rejects with the migration's error; on abort, with the signal's reason.
 * @param onStage called at the start of each stage
 */
export type Migrate = (
  input: Input<typeof SYNC_OPTIONS>,
  run: Making['context'] & { readonly stopMs: number },
  onStage: OnStage,
) => Promise<ExitCode>;

/** kolla-db-sync in kolla-sidecar. */
export async function prepareDbSync(
  { options: { service }, context }: Making,
  migrate: Migrate,
): Promise<PreparedComponent> {
  const { inherited, podFile } = context;
  if (service === undefined)
    throw new UsageError(
      'component db-sync: give --service, or sidecar.service in kolla-pod.yaml; kolla-pod catalogue lists them',
    );
  const options = await optionsOf(DB_SYNC, '', SYNC_OPTIONS, inherited, podFile);
  const { component, status, requireSafe } = await migrationOf(
    { operands: [service], options, child: [] },
    context,
    migrate,
  );
  return {
    component,
    sources: { migration: status },
    async requireSafe({ port, hasStartupChecks, laterStopMs }) {
      // With checks of the service for startup, /startupz would wait for the service, which waits for this sidecar.
      const others = hasStartupChecks ? [] : ['/startupz', '/readyz'];
      await requireSafe(port, laterStopMs, ['/startupz/components', ...others]);
    },
  };
}

/**
 * `kolla-db-sync --stay`. A phase after a rollout delays nothing, and its failure is logged and recorded without ending
 * this process: otherwise the rollout that the phase waits for would never finish.
 */
export async function stayingMigration(
  input: Input<typeof SYNC_OPTIONS>,
  context: Making['context'],
  migrate: Migrate,
): Promise<PreparedComponent> {
  const { component, status, requireSafe } = await migrationOf(input, context, migrate);
  const { holdsStartup } = component;
  const schema = healthRoute(() => ({ isOk: !holdsStartup || status().stage === 'ok', word: status().stage }));
  return {
    component: holdsStartup ? component : { ...component, run: (run) => unlessFailed(component, run) },
    sources: { migration: status },
    routes: { '/startupz': schema, '/readyz': schema },
    requireSafe: ({ port, laterStopMs }) => requireSafe(port, laterStopMs, ['/startupz', '/readyz']),
  };
}

/** Runs the migration, and only logs its failure. An error in the command line or a file, and a bug, are thrown. */
async function unlessFailed(component: Component, { signal, log }: ComponentRun): Promise<ExitCode> {
  let isOver = false;
  try {
    isOver = (await component.run({ signal, log })) === ExitCode.ok;
  } catch (error) {
    const isMistake = !(error instanceof KollaError) || error instanceof UsageError || error instanceof ConfigError;
    if (isMistake || signal.aborted) throw error;
    log.error(error.message);
  }
  if (!isOver) log.warn('the migration failed: run it again');
  return ExitCode.ok;
}

interface Migration {
  readonly component: Component;
  readonly status: () => MigrationStatus;
  /** @param paths valid paths for our startup probe, of which the first is recommended */
  readonly requireSafe: (port: number, laterStopMs: number, paths: readonly [string, ...string[]]) => Promise<void>;
}

/** A migration and its stage. */
async function migrationOf(
  input: Input<typeof SYNC_OPTIONS>,
  context: Making['context'],
  migrate: Migrate,
): Promise<Migration> {
  const { inherited, podFile } = context;
  const {
    operands: [name = ''],
    options,
    child,
  } = input;
  const service = serviceOf(name, await knownServices(podFile));
  if (child.length === 0) stepsOf(service, options.phase);
  const holdsStartup = holdsOthersBack(options.phase);
  const stopMs = options.grace + STOPPING_MS;
  let status: MigrationStatus = {
    service: name,
    release: options.release,
    phase: options.phase,
    phases: PHASES.filter((phase) => (service.migration.phases[phase] ?? []).length > 0),
    stage: 'waiting for the server',
    since: Date.now(),
    stages: [],
  };
  const enter = (stage: string) => {
    const at = Date.now();
    status = { ...status, stage, since: at, stages: [...status.stages, { stage, at }].slice(-STAGES_KEPT) };
  };
  const run = async ({ signal, log }: ComponentRun) => {
    enter('waiting for the server');
    try {
      const code = await migrate(input, { ...context, signal, log, stopMs }, enter);
      enter(code === ExitCode.ok ? 'ok' : 'failed');
      return code;
    } catch (error) {
      enter(signal.aborted ? 'interrupted' : 'failed');
      throw error;
    }
  };
  return {
    component: { name: 'db-sync', holdsStartup, stopMs, backoff: BACKOFF, run },
    status: () => status,
    async requireSafe(port, laterStopMs, paths) {
      using place = ownPlace(options, inherited);
      const grace = options.grace + laterStopMs;
      await requireSafePod({ ...options, grace, holdsBack: holdsStartup, port, paths }, place, context);
    },
  };
}

/** Whether the service may start only after this phase. */
function holdsOthersBack(phase: Phase): boolean {
  return phase !== 'contract' && phase !== 'online';
}
