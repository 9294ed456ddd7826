/**
 * What is in place against what config.json asks for.
 *
 *   a plan (nothing of it done) -> each file and directory looked at -> differences (content, mode, owner, missing) -> text
 *   for people or data for programs
 *
 * Reads only. What may be a secret is shown by a digest of this run (reveal): content that others may not read, and whatever stands
 * under a name such as password. Fails only where reading fails, and says that as a difference too.
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
 * Shows how two contents differ, without a secret.
 * @param overlay whose values are known to be secrets where their names say so
 */
export function createShow(overlay?: Overlay): Show {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return async (sides) => {
    // Loaded only where a difference was found.
    const { structuredPatch } = await import('diff');
    const isPrivate = sides.isPrivate || holdsSecret(overlay, sides.dest);
    return reveal({ ...sides, isPrivate }, redactor(overlay?.secrets ?? []), structuredPatch, key);
  };
}

/** Every difference between the disk and what the plan would make of it, in the plan's order. */
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
