/**
 * A pod's life as local processes: `make demo`.
 *
 *   private root, with a janitor for every end -> servers -> the pod's tree -> kolla-init waits and copies -> two
 *   kolla-db-sync race -> Keystone's keys and first user -> Keystone starts, kolla-probe goes from unhealthy to healthy
 *   -> a token -> kolla-log-ship has every line -> the timeline, as text and as SVG
 *
 * Exit 0 when all of it was seen, 1 when a step went wrong (named), 130 or 143 after a signal. Nothing is left behind
 * but the picture in dist/.
 */
import { messageOf, KollaError, ExitCode } from '../src/cli/errors.ts';
import { stopOnSignals } from '../src/cli/signals.ts';
import { terminalOf } from '../src/cli/terminal.ts';
import { abortWithParent, privateRoot } from './janitor.ts';
import { tellPodLife } from './pod-life.ts';
import { Story } from './story.ts';

const terminal = terminalOf(process.stdout, process.env);
const story = new Story(terminal);
using signals = stopOnSignals();
const controller = new AbortController();
signals.signal.addEventListener('abort', () => controller.abort(signals.signal.reason));
process.exitCode = await main();

async function main(): Promise<number> {
  using _ = abortWithParent(controller);
  await using root = await privateRoot();
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  try {
    await Promise.race([tellPodLife(story, root.path, terminal), stopped]);
    return ExitCode.ok;
  } catch (error) {
    story.say('demo', `stopped: ${messageOf(error)}`);
    return error instanceof KollaError ? error.exitCode : ExitCode.no;
  }
}
