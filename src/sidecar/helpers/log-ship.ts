import type { Context } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { logShipHelper, type Settings } from '../../logship/index.ts';
import type { ServedAt } from '../serve.ts';

/** kolla-log-ship, with --listen as a sidecar with a single component. */
export const logShip = logShipHelper(serve);

async function serve(settings: Settings, at: ServedAt, context: Context): Promise<ExitCode> {
  // Loaded lazily: most Pods run log shipping in kolla-sidecar, or not at all.
  const { runAlone } = await import('../alone.ts');
  const { shippingComponent } = await import('../components/log-ship.ts');
  return await runAlone(shippingComponent(settings, ['readiness'], context), 'end', at, context);
}
