/**
 * A pod's life as local processes: `make demo`.
 *
 *   private root, with a janitor that cleans up after any exit -> servers -> the pod's tree -> kolla-init waits and
 *   copies -> two
 *   kolla-db-sync race -> Keystone's keys and first user -> Keystone starts, kolla-probe goes from unhealthy to
 *   healthy
 *   -> a token -> kolla-log-ship has every line -> the timeline, as text and as SVG
 *
 * Exit code 0 on success, 1 when a step failed (named), 130 or 143 after a signal. Only the picture is left behind.
 */
import { messageOf, KollaError, ExitCode } from '../src/core/errors.ts';
import { stopOnSignals } from '../src/cli/signals.ts';
import { terminalOf } from '../src/core/terminal.ts';
import { abortWithoutParent, privateRoot } from './janitor.ts';
import { tellPodLife } from './pod-life.ts';
import { Story } from './story.ts';

const terminal = terminalOf(process.stdout, process.env);
using signals = stopOnSignals();
const parent = new AbortController();
const timer = abortWithoutParent(parent);
const signal = AbortSignal.any([signals.signal, parent.signal]);
process.exitCode = await main(new Story(terminal, signal));
clearInterval(timer);

async function main(story: Story): Promise<number> {
  let life: Promise<void> | undefined;
  try {
    await using root = await privateRoot();
    life = tellPodLife(story, root.path, terminal);
    await Promise.race([life, aborted(signal)]);
    return ExitCode.ok;
  } catch (error) {
    console.error(`demo stopped: ${messageOf(error)}`);
    return error instanceof KollaError ? error.exitCode : ExitCode.no;
  } finally {
    // Its processes have been killed, so its next step fails; that error is expected.
    await life?.catch(() => {});
  }
}

function aborted(by: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    by.addEventListener('abort', () => reject(by.reason as Error), { once: true });
  });
}
