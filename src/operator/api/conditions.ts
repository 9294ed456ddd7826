import type { Condition } from './objects.ts';

/** What an observation says about a condition. */
export type ConditionUpdate = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The field's limit in the CRDs. */
const MESSAGE_MAX_CHARACTERS = 32_768;

/**
 * The conditions after an observation. A condition that the observation does not contain stays as it is, and
 * lastTransitionTime changes only with the status.
 * @param verdicts by type
 */
export function withVerdicts(
  conditions: readonly Condition[] = [],
  verdicts: Readonly<Record<string, ConditionUpdate>>,
  generation: number,
  now: Date,
): Condition[] {
  const updated = Object.entries(verdicts).map(([type, { status, reason, message }]): Condition => {
    const before = conditions.find((condition) => condition.type === type);
    const since = before?.status === status ? before.lastTransitionTime : now.toISOString().replace(/\.\d+Z$/, 'Z');
    const text = message.slice(0, MESSAGE_MAX_CHARACTERS);
    return { type, status, reason, message: text, lastTransitionTime: since, observedGeneration: generation };
  });
  const kept = conditions.filter(({ type }) => !Object.hasOwn(verdicts, type));
  return [...kept, ...updated].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

/** The condition of that type; undefined if it was never observed. */
export function conditionOf(conditions: readonly Condition[] = [], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}
