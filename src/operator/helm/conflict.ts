import type { ConditionUpdate } from '../api/conditions.ts';

/** A field that another manager has written with another value, so that the API server does not let Helm apply its own. */
export interface FieldConflict {
  /** `deployment/keystone`. */
  readonly object: string;
  /** `kubectl`, with the subresource that it has used: `kubectl (scale)`. */
  readonly manager: string;
  readonly field: string;
}

/** One object, in Helm's words; what follows are the API server's. */
const OBJECT = /conflict occurred while applying object [^\s/]*\/(\S+) \S*, Kind=(\w+): /g;
/** A manager, before one field or before a line for each of several. An Update has a version, and may have a time. */
const MANAGER =
  /conflicts? with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?(?: using \S+?)?(?: at [-\dTZ:]+?)?:\s+/g;

/** The conflicts in Helm's error; none in any other error, or if it was shortened. */
export function conflictsIn(error: string): FieldConflict[] {
  return partsOf(error, OBJECT).flatMap(({ match: [, name = '', kind = ''], rest }) =>
    partsOf(rest, MANAGER).flatMap(({ match: [, who = '', subresource], rest: fields }) =>
      [...fields.matchAll(/^(?:- )?(\.\S.*?)(?: && .*)?$/gm)].map(([, field = '']) => ({
        object: `${kind.toLowerCase()}/${name}`,
        manager: subresource === undefined ? who : `${who} (${subresource})`,
        field: field.trimEnd(),
      })),
    ),
  );
}

/** Each match, with the text up to the next one. */
function partsOf(text: string, shape: RegExp): { match: RegExpExecArray; rest: string }[] {
  const matches = [...text.matchAll(shape)];
  return matches.map((match, i) => ({
    match,
    rest: text.slice(match.index + match[0].length, matches[i + 1]?.index),
  }));
}

/** The condition `Conflict` after a failed attempt; undefined if the error is another one, which says nothing of conflicts. */
export function conflictVerdict(error: string): ConditionUpdate | undefined {
  const conflicts = conflictsIn(error);
  if (conflicts.length === 0) return undefined;
  const written = [...new Set(conflicts.map(({ object, manager, field }) => `${object}: ${manager} has set ${field}`))];
  const message =
    `${written.join('; ')}. To keep it, put the same into spec.values (replicas: into the OpenStackWorkload); ` +
    'to discard it, set spec.forceConflicts: true until the service is ready';
  return { status: 'True', reason: 'OtherManager', message };
}

/** The condition `Conflict` of a release that is what is wanted. */
export const NO_CONFLICT: ConditionUpdate = {
  status: 'False',
  reason: 'Applied',
  message: 'Helm has applied all its fields',
};
