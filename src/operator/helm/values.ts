import { messageOf } from '../../core/errors.ts';
import { loadValues } from '../../core/helm-yaml.ts';
import { expandedSize, YAML_BUDGET } from '../../core/yaml-budget.ts';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { isMapping } from '../../core/mapping.ts';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { HelmValues, ValuesSource } from '../api/objects.ts';

/** Values that can't be used. The message names object and key, and no value. */
export class ValuesError extends Error {
  override name = 'ValuesError';
}

/** Values merged as by Helm, and the secrets among them. */
export interface Merged {
  readonly values: HelmValues;
  /** Texts that must not reach a log or a condition. */
  readonly secrets: readonly string[];
}

/** @throws ValuesError for a missing object or key, or one that is not a YAML mapping; ApiError */
export async function readValues(
  client: KubeClient,
  namespace: string,
  sources: readonly ValuesSource[],
  signal: AbortSignal,
): Promise<Merged> {
  let values: HelmValues = {};
  const secrets: string[] = [];
  for (const source of sources) {
    const found = await readSource(client, namespace, source, signal);
    values = withinBudget(merge(values, found), `${source.kind} ${source.name}`);
    if (source.kind === 'Secret') secrets.push(...secretsIn(found, false));
  }
  return { values, secrets };
}

/** Each source has this budget, and all together. */
function withinBudget(values: HelmValues, place: string): HelmValues {
  try {
    expandedSize(values, YAML_BUDGET.expandedMax);
    return values;
  } catch (error) {
    throw new ValuesError(`${place}: with the values before it: ${messageOf(error)}`);
  }
}

async function readSource(
  client: KubeClient,
  namespace: string,
  { kind, name, key = 'values.yaml' }: ValuesSource,
  signal: AbortSignal,
): Promise<HelmValues> {
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  const place = `${kind} ${name}`;
  let object: KubeObject & { readonly data?: Readonly<Record<string, string>> };
  try {
    object = await client.get(objectPath({ group: '', version: 'v1', resource, namespace, name }), { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw new ValuesError(`${place} does not exist`);
    throw error;
  }
  const data = object.data?.[key];
  if (data === undefined) throw new ValuesError(`${place} has no key '${key}'`);
  const found = parsed(kind === 'Secret' ? Buffer.from(data, 'base64').toString() : data, `${place}, ${key}`);
  if (found === undefined || found === null) return {};
  if (!isMapping(found)) throw new ValuesError(`${place}, ${key}: not a YAML mapping`);
  return found;
}

function parsed(text: string, place: string): unknown {
  try {
    return loadValues(text);
  } catch (error) {
    throw new ValuesError(`${place}: not valid YAML: ${yamlProblem(error)}`);
  }
}

/** As Helm merges its --values: mappings by key, everything else is replaced. */
export function merge(below: HelmValues, above: HelmValues): HelmValues {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = merged[key];
    merged[key] = isMapping(old) && isMapping(value) ? merge(old, value) : value;
  }
  return merged;
}

const SECRET_KEY = /passw|secret|token|key|cookie|credential/i;
/** Shorter texts would redact ordinary words. */
const SECRET_MIN_CHARACTERS = 4;

/** All texts below a key whose name says that they are secret. */
function secretsIn(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret && value.length >= SECRET_MIN_CHARACTERS ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, isSecret));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, isSecret || SECRET_KEY.test(key)));
}
