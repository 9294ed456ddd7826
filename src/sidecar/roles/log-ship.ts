import { UsageError } from '../../core/errors.ts';
import { optionsOf } from '../../cli/section.ts';
import { logShip, runShipping, settingsOf, SHIP_OPTIONS, type ShippingView } from '../../logship/index.ts';
import type { Making, PreparedRole } from '../role.ts';
import { QUICK_BACKOFF } from '../role.ts';
import { Samples } from '../status/samples.ts';
import { ShippingShown } from './log-ship-shown.ts';

/** After --grace: to give up what is on its way, and to write the checkpoint. */
const STOPPING_MS = 5000;

/** kolla-log-ship: reads to the end at a stop, and ships within its own --grace. */
export async function logShipRole({ options: { logPath, readyWithLogs }, context }: Making): Promise<PreparedRole> {
  const { inherited, podFile } = context;
  const options = await optionsOf(logShip, '', SHIP_OPTIONS, inherited, podFile);
  const settings = settingsOf(logPath, options);
  if (settings.listen !== undefined)
    throw new UsageError('log-ship: --listen is for kolla-log-ship alone; here the port of kolla-sidecar answers');
  let view: ShippingView | undefined;
  /** The same, but only while it ships. */
  let live: ShippingView | undefined;
  const samples = new Samples(() => ({ lag: view?.left() ?? 0, lines: view?.counts().lines ?? 0 }));
  const shown = new ShippingShown(() => live, readyWithLogs ? ['readiness'] : []);
  return {
    role: {
      name: 'log-ship',
      holdsStartup: false,
      stopMs: options.grace + STOPPING_MS,
      backoff: QUICK_BACKOFF,
      async run(run) {
        using looking = new DisposableStack();
        looking.use(samples.start());
        looking.use(shown.start());
        try {
          return await runShipping(settings, { ...run, inherited }, (next) => (view = live = next));
        } finally {
          live = undefined;
        }
      },
    },
    parts: () => shown.parts(),
    families: () => shown.families(),
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
