import { constants } from 'node:os';
import { messageOf } from '../../src/core/errors.ts';
import type { Stage } from './stage.ts';
import { isStaying } from './stay.ts';
import type { Timeline } from './timeline.ts';

/**
 * Sets the exit code to that of the work. A signal ends the cluster without waiting for the step that runs.
 * @param work calls `hold` with the stage, which a signal disposes of
 */
export async function guard(
  timeline: Timeline,
  work: (hold: (stage: Stage) => void) => Promise<number>,
): Promise<void> {
  let running: Stage | undefined;
  const cut = async (code: number) => {
    console.error(`\ncut in '${timeline.current}' after ${(timeline.seconds / 60).toFixed(1)} min`);
    await running?.[Symbol.asyncDispose]();
    // eslint-disable-next-line unicorn/no-process-exit -- that step would hold it
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      if (!isStaying()) void cut(128 + constants.signals[signal]);
    });
  process.exitCode = await work((stage) => (running = stage)).catch((error: unknown) => {
    console.error(`\nfailed in '${timeline.current}': ${messageOf(error)}`);
    return 1;
  });
}
