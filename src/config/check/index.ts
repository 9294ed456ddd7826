/**
 * Compares the installed files with config.json.
 *
 *   a plan (not applied) -> each file and directory examined -> differences (content, mode, owner, missing) -> text for
 *   users or data for programs
 *
 * Read only. Possible secrets are shown as a digest of this run (reveal): files that are not world-readable, and values
 * of options such as password. A failed read is reported as a difference too.
 */
import { redactor } from '../../core/redact.ts';
import { holdsSecret, type Overlay } from '../overlays/overlay.ts';
import type { Plan } from '../plan.ts';
import { compareStep, type Difference, type Show } from './compare.ts';
import { reveal } from './reveal.ts';

export type { Difference, Show } from './compare.ts';
export { renderDifferences } from './render.ts';

const KEY_BYTES = 32;

/**
 * Shows the difference of two contents without secrets.
 * @param overlay whose values are secrets if their names say so
 */
export function createShow(overlay?: Overlay): Show {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return async (sides) => {
    // Loaded only if there is a difference.
    const { structuredPatch } = await import('diff');
    const isPrivate = sides.isPrivate || holdsSecret(overlay, sides.dest);
    return reveal({ ...sides, isPrivate }, redactor(overlay?.secrets ?? []), structuredPatch, key);
  };
}

/** All differences between the disk and the plan, in the plan's order. */
export async function findDifferences(
  { steps, restored, removals }: Pick<Plan, 'steps' | 'restored' | 'removals'>,
  show: Show,
  signal: AbortSignal,
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const step of [...steps, ...restored]) {
    signal.throwIfAborted();
    const difference = await compareStep(step, show);
    if (difference !== undefined) found.push(difference);
  }
  return [
    ...found,
    ...removals.map(({ path }) => ({ path, entry: 'of an earlier config.json', is: 'there, should be gone' })),
  ];
}
