import { dirname } from 'node:path';
import type { Step } from './model.ts';

/** The path and every directory that it lies in, up to `/`. */
export function upwards(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...upwards(above)];
}

/** What is put in place at a path or below it. To compare each source with each step takes seconds for 10,000 of them. */
export class Below {
  /** By path, of one step and of one of another entry: enough to know one that isn't of a given entry. */
  readonly #steps = new Map<string, Step[]>();

  constructor(steps: readonly Step[]) {
    for (const step of steps)
      for (const path of upwards(step.path)) {
        const known = this.#steps.get(path);
        if (known === undefined) this.#steps.set(path, [step]);
        else if (known.length === 1 && known[0]?.entry !== step.entry) known.push(step);
      }
  }

  /** A step at or below the path that isn't this entry's; undefined when there is none. */
  ofAnother(path: string, entry: string): Step | undefined {
    return this.#steps.get(path)?.find((step) => step.entry !== entry);
  }
}
