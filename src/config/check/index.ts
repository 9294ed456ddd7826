/**
 * What is in place against what config.json asks for.
 *
 *   a plan (nothing of it done) -> each file and folder looked at -> differences (content, mode, owner, missing) -> text
 *   for people or data for programs
 *
 * Reads only. What may be a secret is shown by its digest (reveal): content that others may not read, and whatever stands
 * under a name such as password. Fails only where reading fails, and says that as a difference too.
 */
import type { Redact } from '../../platform/redact.ts';
import type { Plan } from '../plan.ts';
import { compareStep, type Difference } from './compare.ts';
import { reveal, type Content, type Sides } from './reveal.ts';

export type { Difference } from './compare.ts';
export { renderDifferences } from './render.ts';

/** Shows how two contents differ, without a secret. */
export type Show = (sides: Sides) => Content;

/** @param redact for secrets that are known by their values */
export async function createShow(redact: Redact): Promise<Show> {
  // A diff is wanted only by who checks.
  const { structuredPatch } = await import('diff');
  return (sides) => reveal(sides, redact, structuredPatch);
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
