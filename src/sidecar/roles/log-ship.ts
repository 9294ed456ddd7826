import { optionsOf } from '../../cli/section.ts';
import { logShip, runShipping, settingsOf, SHIP_OPTIONS, type ShippingView } from '../../logship/index.ts';
import type { Making, PreparedRole } from '../prepare.ts';
import { QUICK_BACKOFF } from '../role.ts';
import { Samples } from '../status/samples.ts';

/** After --grace: to give up what is on its way, and to write the checkpoint. */
const STOPPING_MS = 5000;

/** kolla-log-ship: reads to the end at a stop, and ships within its own --grace. */
export async function logShipRole({ options: { logPath }, context }: Making): Promise<PreparedRole> {
  const { inherited, podFile } = context;
  const options = await optionsOf(logShip, '', SHIP_OPTIONS, inherited, podFile);
  const input = { operands: logPath, options };
  settingsOf(logPath, options);
  let view: ShippingView | undefined;
  const samples = new Samples(() => ({ lag: view?.left() ?? 0, lines: view?.counts().lines ?? 0 }));
  return {
    role: {
      name: 'log-ship',
      holdsStartup: false,
      stopMs: options.grace + STOPPING_MS,
      backoff: QUICK_BACKOFF,
      async run(run) {
        using _ = samples.start();
        return await runShipping(input, run, (next) => (view = next));
      },
    },
    sources: {
      shipping() {
        if (view === undefined) return null;
        const { acknowledged, already, rejected, retried, lostBytes } = view.counts();
        const outage = view.outage();
        return {
          to: view.to,
          files: view.files(),
          ...samples.now(),
          acknowledged,
          already,
          rejected,
          retried,
          lostBytes,
          held: outage?.reason ?? null,
          heldSince: outage?.sinceMs ?? null,
        };
      },
    },
  };
}
