import type { Step } from '../../catalog/index.ts';

/** The command lines, for messages. */
export function lineOfSteps(steps: readonly Step[]): string {
  return steps.map(({ argv }) => argv.join(' ')).join('; ');
}
