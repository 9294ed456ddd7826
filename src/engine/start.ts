/**
 * Entry point of each name of kolla-core:
 *
 *   the name, argv, the environment -> src/cli/dispatch.ts, as in kolla-pod -> main -> process.exitCode -> the loop's end
 *
 * Returns the function that native/main.c calls whenever no job is pending.
 */
import { dispatch, type HelperModule } from '../cli/dispatch.ts';
import { isRaised } from '../cli/raised.ts';
import { bugsEndWith } from './failing.ts';
import { turn } from './runtime/loop.ts';
import { signalNumber } from './signals.ts';
import { process, uncaught } from './process.ts';

export function start(name: string, main: HelperModule['main'], bugCode?: number): () => void {
  if (bugCode !== undefined) bugsEndWith(bugCode);
  if (isRaised(process.env)) sys.forget();
  // A closed reader causes a write error, as in Node. An executed program inherits the original disposition.
  sys.onSignal(signalNumber('SIGPIPE'), 2);
  process.main = main;
  let running = true;
  const bugs = (error: unknown) => {
    throw error;
  };
  dispatch(name, process.argv.slice(2), [name], () => Promise.resolve({ main })).then(() => (running = false), bugs);
  const end = (): never => {
    // Nothing can resume the process, because a promise never settles.
    if (running) throw new Error(`${name} waits for nothing`);
    return sys.exit(process.exitCode ?? 0);
  };
  sys.rejected = uncaught;
  return () => {
    try {
      turn(end);
    } catch (error) {
      uncaught(error);
    }
  };
}
