import type { Values } from '../../cli/option.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { optionsOf } from '../../cli/section.ts';
import { reportInLines, type BoardReport } from '../../wait/index.ts';
import { OPTIONS } from '../../container/init/options.ts';
import { INIT } from '../../container/init/section.ts';
import { checkTimeout, dependenciesOf, waitFor, waitTrust } from '../../container/init/waits.ts';
import type { Making, PreparedComponent } from './component.ts';
import { QUICK_BACKOFF } from './component.ts';
import { withoutUserinfo } from '../status/look.ts';

const STOP_MS = 5000;

/**
 * kolla-init's waits. The startup probe fails until all dependencies are ready.
 * @param begins called with the options before anything else. Throws if this binary does not support them
 */
export async function prepareWaits(
  { context }: Making,
  begins: (options: Values<typeof OPTIONS>) => void | Promise<void>,
): Promise<PreparedComponent> {
  const { inherited, podFile } = context;
  const options = await optionsOf(INIT, '', OPTIONS, inherited, podFile);
  checkTimeout(options.timeout);
  await begins(options);
  const dependencies = await dependenciesOf(options.wait);
  const trust = waitTrust(options, dependencies);
  if (dependencies.length === 0)
    throw new UsageError('component waits: nothing to wait for; set init.wait in kolla-pod.yaml, or KOLLA_INIT_WAIT');
  let report: BoardReport | undefined;
  return {
    component: {
      name: 'waits',
      holdsStartup: true,
      stopMs: STOP_MS,
      backoff: QUICK_BACKOFF,
      async run({ signal, log }) {
        const settings = { ...options, trust, timeoutMs: options.timeout };
        await waitFor(
          dependencies,
          settings,
          { signal, log, inherited },
          (to, now) => (report = reportInLines(to, now)),
        );
        return ExitCode.ok;
      },
    },
    sources: {
      waits() {
        // The board's times are those of performance.now().
        const zero = Date.now() - performance.now();
        const rows = report?.board.rows ?? [];
        return rows.map(({ text, isMet, state, began, since }) => {
          return {
            name: withoutUserinfo(text),
            isMet,
            seen: state,
            began: whole(zero + began),
            since: whole(zero + since),
          };
        });
      },
    },
  };
}

/** Rounds to seconds: Date and performance drift apart by less, and each difference would count as a change. */
function whole(ms: number): number {
  return Math.round(ms / 1000) * 1000;
}
