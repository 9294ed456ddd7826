import { dirname } from 'node:path';
import type { Step } from './model.ts';

/** The path and all its parent directories, up to `/`. */
export function upwards(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...upwards(above)];
}

/** Index of the steps at or below a path. Comparing each of 10,000 sources with each step would take seconds. */
export class Below {
  /** For each path one step, and one step of another entry, which is enough to find a conflict. */
  readonly #steps = new Map<string, Step[]>();

  constructor(steps: readonly Step[]) {
    for (const step of steps)
      for (const path of upwards(step.path)) {
        const known = this.#steps.get(path);
        if (known === undefined) this.#steps.set(path, [step]);
        else if (known.length === 1 && known[0]?.entry !== step.entry) known.push(step);
      }
  }

  /** A step of another entry, at or below the path; undefined if there is none. */
  ofAnother(path: string, entry: string): Step | undefined {
    return this.#steps.get(path)?.find((step) => step.entry !== entry);
  }
}
