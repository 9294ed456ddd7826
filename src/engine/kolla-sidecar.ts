/** kolla-sidecar. It is kolla-core's alone: only its migration is a process of kolla-pod. */
import { run } from '../cli/run.ts';
import { UnavailableError } from '../core/errors.ts';
import type { Makers } from '../sidecar/prepare.ts';
import { sidecarOf } from '../sidecar/sidecar-of.ts';
import { reapOrphans } from './child-process.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export const main = async (argv: string[], env: Variables): Promise<number> => {
  reapOrphans();
  const sidecar = sidecarOf(async (options, context) => {
    // Loaded lazily: the help does not need it.
    const { runSidecar } = await import('../sidecar/run.ts');
    return await runSidecar(options, context, makersFor(env));
  });
  return await run(sidecar, argv, env);
};

const makersFor = (env: Variables): Makers => ({
  probe: async () => (await import('../sidecar/components/probe.ts')).prepareProbe,
  'config-watch': async () => (await import('../sidecar/components/config-watch.ts')).prepareConfigWatch,
  async waits() {
    const { prepareWaits } = await import('../sidecar/components/waits.ts');
    const { podLoginOf } = await import('./waits.ts');
    return (making) =>
      prepareWaits(making, async (options) => {
        const login = await podLoginOf(options, env);
        if (login !== undefined)
          throw new UnavailableError(
            `component waits: ${login} needs kolla-pod: wait in kolla-init, which executes it`,
          );
      });
  },
  async 'db-sync'() {
    const { prepareDbSync } = await import('../sidecar/components/db-sync.ts');
    const { migrateInPod } = await import('./migrate-in-pod.ts');
    const migrate = migrateInPod("component 'db-sync'");
    return (making) => prepareDbSync(making, migrate);
  },
  'log-ship': async () => (await import('../sidecar/components/log-ship.ts')).prepareLogShip,
});
