import type { ObjectDependency } from '../dependency.ts';
import { checkLabel, checkName } from '../grammar/names.ts';
import { wrong, type Part, type Source } from '../grammar/problem.ts';
import { parseJson, type Json } from './json.ts';
import { orLeaveOut, type Way } from './leave-out.ts';
import { itemsIn, type labelsIn, type Reading } from './members.ts';

/** One entry of a variable, with its shape checked: what it means is asked for once all have the right shape. */
type Meant = () => ObjectDependency;

/** Reads every entry's shape before the first is taken, because there one wrong type leaves out the whole variable. */
export function entriesIn(source: Source, way: Way, read: (reading: Reading, json: Json) => Meant): ObjectDependency[] {
  const reading = { source, way };
  const all = orLeaveOut(way, () => itemsIn(reading, parseJson(source)).map((json) => read(reading, json))) ?? [];
  return all.flatMap((meant) => orLeaveOut(way, meant) ?? []);
}

/** The namespace of an entry, or the base. Throws UsageError for what none can be called. */
export function namespaceOf(source: Source, given: Part | undefined, base: string): string {
  if (given !== undefined) checkName(source, 'a namespace', given, 'label');
  return given?.value ?? base;
}

/** `app=x` each. Throws UsageError where there are none, which matched nothing there. */
export function selectorOf(source: Source, json: Json, labels: ReturnType<typeof labelsIn>, what: string): string[] {
  if (labels === undefined || labels.length === 0)
    throw wrong(
      source,
      json.column,
      `nothing says which: ${what} is waited for by ${what === 'a Job' ? 'name or ' : ''}labels`,
    );
  return labels.map(([key, value]) => {
    const label = `${key.value}=${value}`;
    checkLabel(source, { value: label, column: key.column });
    return label;
  });
}
