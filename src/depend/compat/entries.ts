import { checkLabel, checkName } from '../grammar/names.ts';
import { wrong, type Part, type Source } from '../grammar/problem.ts';
import type { Condition, JsonPath, ObjectDependency } from '../dependency.ts';
import { parseJson, type Json } from './json.ts';
import { leftOut, orLeaveOut, type Way } from './leave-out.ts';
import { customResourceDependency, jobDependency, jobsDependency, podDependency } from './made.ts';
import { flagIn, itemsIn, labelsIn, membersIn, textIn, type Reading } from './members.ts';

/** One entry of a variable, with its shape checked: what it means is asked for once all have the right shape. */
type Meant = () => ObjectDependency;

/** DEPENDENCY_JOBS_JSON: `[{"name"?, "labels"?, "namespace"?}]`. */
export function jobsIn(source: Source, way: Way, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, ['name', 'labels', 'namespace']);
    const [name, labels] = [textIn(reading, members, 'name'), labelsIn(reading, members, 'labels')];
    const given = textIn(reading, members, 'namespace');
    return () => {
      const namespace = namespaceOf(source, given, base);
      if (name === undefined) return jobsDependency(selectorOf(source, json, labels, 'a Job'), namespace);
      if (labels !== undefined)
        throw leftOut(source, json.column, 'this has a name and labels; one of them says which Job');
      checkName(source, 'a Job', name, 'subdomain');
      return jobDependency(name.value, namespace);
    };
  });
}

/** DEPENDENCY_POD_JSON: `[{"labels", "namespace"?, "requireSameNode"?}]`. */
export function podsIn(source: Source, way: Way, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, ['labels', 'namespace', 'requireSameNode']);
    const [labels, given] = [labelsIn(reading, members, 'labels'), textIn(reading, members, 'namespace')];
    const isOnOwnNode = flagIn(reading, members, 'requireSameNode');
    return () =>
      podDependency(selectorOf(source, json, labels, 'a Pod'), namespaceOf(source, given, base), isOnOwnNode);
  });
}

const RESOURCE_KEYS = ['apiVersion', 'kind', 'name', 'namespace', 'fields', 'conditions'];

/** DEPENDENCY_CUSTOM_RESOURCE: `[{"apiVersion", "kind", "name", "namespace"?, "fields"?, "conditions"?}]`. */
export function customResourcesIn(source: Source, way: Way, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, RESOURCE_KEYS);
    const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map((key) =>
      textIn(reading, members, key),
    );
    const fields = itemsIn(reading, members.get('fields')).map((item) => {
      const field = membersIn(reading, item, ['key', 'value']);
      return { item, key: textIn(reading, field, 'key'), value: textIn(reading, field, 'value')?.value ?? '' };
    });
    const conditions = itemsIn(reading, members.get('conditions')).map((item) => {
      const condition = membersIn(reading, item, ['type', 'status']);
      return { item, type: textIn(reading, condition, 'type'), status: textIn(reading, condition, 'status') };
    });
    return () => {
      const missing = (what: string) => wrong(source, json.column, `${what} is missing`);
      if (apiVersion === undefined || kind === undefined || name === undefined)
        throw missing(apiVersion === undefined ? 'apiVersion' : kind === undefined ? 'kind' : 'name');
      const [, group = '', version = ''] = /^(?:([a-z0-9.-]+)\/)?([a-z0-9]+)$/.exec(apiVersion.value) ?? [];
      if (version === '')
        throw wrong(source, apiVersion.column, `'${apiVersion.value}' is no apiVersion such as cert-manager.io/v1`);
      if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind.value))
        throw wrong(source, kind.column, `'${kind.value}' is no kind such as Certificate`);
      checkName(source, 'an object', name, 'any');
      if (namespace !== undefined) checkName(source, 'a namespace', namespace, 'label');
      const resource = {
        group,
        version,
        kind: kind.value,
        name: name.value,
        namespace: namespace?.value,
        jsonpaths: fields.map(({ item, key, value }) => jsonpathOf(source, item, key, value)),
        conditions: conditions.map(({ item, type, status }) => conditionOf(source, item, type, status)),
      };
      return customResourceDependency(resource, base);
    };
  });
}

/** Reads every entry's shape before the first is taken, because there one wrong type leaves out the whole variable. */
function entriesIn(source: Source, way: Way, read: (reading: Reading, json: Json) => Meant): ObjectDependency[] {
  const reading = { source, way };
  const all = orLeaveOut(way, () => itemsIn(reading, parseJson(source)).map((json) => read(reading, json))) ?? [];
  return all.flatMap((meant) => orLeaveOut(way, meant) ?? []);
}

function namespaceOf(source: Source, given: Part | undefined, base: string): string {
  if (given !== undefined) checkName(source, 'a namespace', given, 'label');
  return given?.value ?? base;
}

function selectorOf(source: Source, json: Json, labels: ReturnType<typeof labelsIn>, what: string): string[] {
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

function conditionOf(source: Source, item: Json, type: Part | undefined, status: Part | undefined): Condition {
  if (type === undefined) throw wrong(source, item.column, 'the type of a condition is missing');
  return { type: type.value, status: status?.value ?? 'True' };
}

/** `a.b.c`, as there; what a step may hold is what JSONPath takes for itself. */
function jsonpathOf(source: Source, item: Json, key: Part | undefined, value: string): JsonPath {
  if (key === undefined) throw wrong(source, item.column, 'the key of a field is missing');
  const steps = key.value.split('.');
  const odd = steps.find((step) => !/^[\w/-]+$/.test(step));
  if (odd !== undefined)
    throw wrong(source, key.column, `'${key.value}' is no key such as status.phase: '${odd}' can't be looked up`);
  return { path: `{${steps.map((step) => (/^\w+$/.test(step) ? `.${step}` : `['${step}']`)).join('')}}`, value };
}
