import { UsageError } from '../../core/errors.ts';
import { optionsOf } from '../../cli/section.ts';
import { dbSync, migrate, serviceOf, stepsOf, SYNC_OPTIONS } from '../../migrate/index.ts';
import { holdsOthersBack, requireSafePod } from '../../migrate/sidecar/index.ts';
import type { Backoff } from '../../core/backoff.ts';
import { ownPlace } from '../../kube/own-place.ts';
import { knownServices, PHASES } from '../../catalog/index.ts';
import type { Making, PreparedRole } from '../role.ts';
import type { MigrationStatus } from '../status/document.ts';

/** As the kubelet begins a Job's Pod again: a migration that failed is no small thing to repeat. */
const BACKOFF: Backoff = { minMs: 10_000, maxMs: 300_000 };
/** After --grace, to stop the command, record it and give the lock back: see docs/reference/kolla-db-sync.md. */
const STOPPING_MS = 15_000;
const STAGES_KEPT = 20;

/** kolla-db-sync; holds startup but for the phases that come after a rollout. */
export async function dbSyncRole({ options: { service: name }, context }: Making): Promise<PreparedRole> {
  const { inherited, podFile } = context;
  if (name === undefined)
    throw new UsageError(
      'role db-sync: give --service, or sidecar.service in kolla-pod.yaml; kolla-pod catalogue lists them',
    );
  const options = { ...(await optionsOf(dbSync, '', SYNC_OPTIONS, inherited, podFile)), stay: false };
  const service = serviceOf(name, await knownServices(podFile));
  stepsOf(service, options.phase);
  const holdsStartup = holdsOthersBack(options.phase);
  let status: MigrationStatus = {
    service: name,
    release: options.release,
    phase: options.phase,
    phases: PHASES.filter((phase) => (service.migration.phases[phase] ?? []).length > 0),
    stage: 'not begun',
    since: Date.now(),
    stages: [],
  };
  const enter = (stage: string) => {
    const at = Date.now();
    status = { ...status, stage, since: at, stages: [...status.stages, { stage, at }].slice(-STAGES_KEPT) };
  };
  return {
    role: {
      name: 'db-sync',
      holdsStartup,
      stopMs: options.grace + STOPPING_MS,
      backoff: BACKOFF,
      async run({ signal, log }) {
        enter('waiting for the server');
        try {
          const input = { operands: [name], options, child: [] };
          const code = await migrate(input, { signal, log, podFile, inherited }, enter);
          enter(code === 0 ? 'ok' : 'failed');
          return code;
        } catch (error) {
          enter(signal.aborted ? 'interrupted' : 'failed');
          throw error;
        }
      },
    },
    sources: { migration: () => status },
    async requireSafe({ port, hasStartupChecks, laterStopMs }) {
      using place = ownPlace(options, inherited);
      // With checks of the service in it, /startupz would wait for the service that waits for us.
      const paths: [string, ...string[]] = ['/startupz/roles', ...(hasStartupChecks ? [] : ['/startupz', '/readyz'])];
      const grace = options.grace + laterStopMs;
      await requireSafePod({ ...options, grace, holdsBack: holdsStartup, port, paths }, place, context);
    },
  };
}
