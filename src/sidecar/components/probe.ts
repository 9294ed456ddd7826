import { ended } from '../../core/abort.ts';
import { optionsOf } from '../../cli/section.ts';
import { ALL_CHECKS, probe } from '../../probe/index.ts';
import { checksOf, prepareChecks, SERVE_OPTIONS, startChecks } from '../../probe/serve/index.ts';
import { RestartableChecks } from './checks.ts';
import type { Making, PreparedComponent } from './component.ts';
import { QUICK_BACKOFF } from './component.ts';

const STOP_MS = 5000;

export interface PreparedProbe extends PreparedComponent {
  readonly checks: RestartableChecks;
  readonly hasStartupChecks: boolean;
}

/** kolla-probe serve in kolla-sidecar, whose server also serves the endpoints of the probes. */
export async function prepareProbe({ options: sidecar, context }: Making): Promise<PreparedProbe> {
  const { inherited, podFile } = context;
  const options = await optionsOf(probe, 'serve', SERVE_OPTIONS, inherited, podFile);
  const mayBeNone = options.allowNoChecks || sidecar.allowNoChecks;
  const prepared = await prepareChecks(checksOf(podFile, mayBeNone, context.log), context, ALL_CHECKS);
  const checks = new RestartableChecks(prepared);
  return {
    checks,
    hasStartupChecks: prepared.some(({ roles }) => roles.includes('startup')),
    component: {
      name: 'probe',
      holdsStartup: false,
      stopMs: STOP_MS,
      backoff: QUICK_BACKOFF,
      async run({ signal, log }) {
        await using running = startChecks(prepared, { signal, log });
        checks.show(running);
        await ended(signal);
        throw signal.reason;
      },
    },
    sources: { checks: () => checks.snapshot() },
  };
}
