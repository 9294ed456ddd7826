import type { Step } from '../../catalog/index.ts';

/** Command lines as a person reads them. */
export function lineOfSteps(steps: readonly Step[]): string {
  return steps.map(({ argv }) => argv.join(' ')).join('; ');
}
