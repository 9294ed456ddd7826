import * as v from 'valibot';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectDependency } from './dependency.ts';
import { findValues } from '../jsonpath/find.ts';
import { parseJsonPath } from '../jsonpath/parse.ts';
import { CONDITION, fields, listOf, MalformedError, NUMBER, objectOf, shaped } from '../shape/shape.ts';
import { met, pending, type Judge, type WaitState } from './verdict.ts';

interface StatusCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly observedGeneration?: number;
}

/** The status fields that most objects have. */
interface ConditionedObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly status?: { readonly conditions?: readonly unknown[]; readonly observedGeneration?: number };
}

const SHAPE = objectOf({ status: fields({ conditions: listOf(v.unknown()), observedGeneration: NUMBER }) });

/**
 * Judges the requested conditions and JSONPaths, all of which must hold, and nothing else. Like kubectl wait, it
 * ignores the status of a controller that has not observed the latest spec.
 */
export function judgeAsked({ conditions, jsonpaths }: ObjectDependency): Judge<KubeObject> {
  const checks: ((object: KubeObject) => WaitState)[] = conditions.map(
    ({ type, status }) =>
      (object) =>
        conditionOf(shaped(SHAPE, object) as ConditionedObject, type, status),
  );
  for (const { path, value } of jsonpaths) {
    const steps = parseJsonPath(path);
    checks.push((object) => valueOf(findValues(steps, object), path, value));
  }
  return (object) => {
    const verdicts = checks.map((check) => check(object));
    return verdicts.find(({ is }) => is !== 'met') ?? met(verdicts.map(({ state }) => state).join(', '));
  };
}

function conditionOf({ metadata, status }: ConditionedObject, type: string, wanted: string): WaitState {
  const { generation = 0 } = metadata;
  const found = askedIn(status?.conditions ?? [], type);
  if (found === undefined) return pending(`no condition ${type} yet`);
  if ((found.observedGeneration ?? status?.observedGeneration ?? generation) < generation)
    return pending(`its controller has not seen the latest spec yet`);
  const state = `${type}=${found.status ?? ''}${found.reason === undefined ? '' : ` (${found.reason})`}`;
  return isAlike(found.status, wanted) ? met(state) : pending(state);
}

/** The requested condition. Other conditions are validated only if it is missing, and only by type. */
function askedIn(conditions: readonly unknown[], type: string): StatusCondition | undefined {
  const found = conditions.findIndex((each) => v.is(TYPED, each) && isAlike(each.type, type));
  if (found !== -1) return shaped(v.object(CONDITION), conditions[found], `condition ${type}: `) as StatusCondition;
  if (conditions.every((each) => v.is(TYPED, each))) return undefined;
  throw new MalformedError('malformed: status.conditions has an item without a type');
}

const TYPED = v.object({ type: v.string() });

/** Compares case-insensitively: as in kubectl wait, `ready=true` is accepted. */
function isAlike(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}

function valueOf(found: readonly unknown[], path: string, wanted: string | undefined): WaitState {
  const values = found.filter((value) => value !== undefined && value !== null).map(textOf);
  const shown = values.length === 0 ? `${path} does not exist yet` : `${path}=${values.join(' ')}`;
  const isMet = wanted === undefined ? values.some((value) => value !== '') : values.includes(wanted);
  return isMet ? met(shown) : pending(shown);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
