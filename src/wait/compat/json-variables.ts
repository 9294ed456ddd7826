import type { ObjectDependency, Condition, JsonPath } from '../dependency/dependency.ts';
import { checkName, wrong, type Source, type Part } from '../grammar/source.ts';
import {
  entriesIn,
  namespaceOf,
  selectorOf,
  labelsIn,
  membersIn,
  textIn,
  flagIn,
  itemsIn,
  type Reading,
} from './members.ts';
import { leftOut, type Leniency } from './leave-out.ts';
import { jobDependency, jobsDependency, podDependency, customResourceDependency } from './made.ts';
import type { Json } from './json.ts';

/** DEPENDENCY_JOBS_JSON: `[{"name"?, "labels"?, "namespace"?}]`. */
export function jobsIn(source: Source, way: Leniency, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, ['name', 'labels', 'namespace']);
    const [name, labels] = [textIn(reading, members, 'name'), labelsIn(reading, members, 'labels')];
    const given = textIn(reading, members, 'namespace');
    return () => {
      const namespace = namespaceOf(source, given, base);
      if (name === undefined) return jobsDependency(selectorOf(source, json, labels, 'a Job'), namespace);
      if (labels !== undefined) throw leftOut(source, json.column, 'this has a name and labels; use only one of them');
      checkName(source, 'a Job', name, 'subdomain');
      return jobDependency(name.value, namespace);
    };
  });
}

/** DEPENDENCY_POD_JSON: `[{"labels", "namespace"?, "requireSameNode"?}]`. */
export function podsIn(source: Source, way: Leniency, base: string): ObjectDependency[] {
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
export function customResourcesIn(source: Source, way: Leniency, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, RESOURCE_KEYS);
    const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map((key) =>
      textIn(reading, members, key),
    );
    const fields = fieldsIn(reading, members.get('fields'));
    const conditions = conditionsIn(reading, members.get('conditions'));
    return () => {
      const missing = Object.entries({ apiVersion, kind, name }).find(([, part]) => part === undefined)?.[0];
      if (apiVersion === undefined || kind === undefined || name === undefined)
        throw wrong(source, json.column, `${missing} is missing`);
      const [, group = '', version = ''] = /^(?:([a-z0-9.-]+)\/)?([a-z0-9]+)$/.exec(apiVersion.value) ?? [];
      if (version === '')
        throw wrong(source, apiVersion.column, `'${apiVersion.value}' is not an apiVersion such as cert-manager.io/v1`);
      if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind.value))
        throw wrong(source, kind.column, `'${kind.value}' is not a kind such as Certificate`);
      checkName(source, 'an object', name, 'any');
      if (namespace !== undefined) checkName(source, 'a namespace', namespace, 'label');
      const resource = {
        group,
        version,
        kind: kind.value,
        name: name.value,
        namespace: namespace?.value,
        jsonpaths: fields.map((field) => jsonpathOf(source, field)),
        conditions: conditions.map((condition) => conditionOf(source, condition)),
      };
      return customResourceDependency(resource, base);
    };
  });
}

interface Field {
  readonly item: Json;
  readonly key: Part | undefined;
  readonly value: string;
}

function fieldsIn(reading: Reading, json: Json | undefined): Field[] {
  return itemsIn(reading, json).map((item) => {
    const members = membersIn(reading, item, ['key', 'value']);
    return { item, key: textIn(reading, members, 'key'), value: textIn(reading, members, 'value')?.value ?? '' };
  });
}

interface AskedCondition {
  readonly item: Json;
  readonly type: Part | undefined;
  readonly status: Part | undefined;
}

function conditionsIn(reading: Reading, json: Json | undefined): AskedCondition[] {
  return itemsIn(reading, json).map((item) => {
    const members = membersIn(reading, item, ['type', 'status']);
    return { item, type: textIn(reading, members, 'type'), status: textIn(reading, members, 'status') };
  });
}

function conditionOf(source: Source, { item, type, status }: AskedCondition): Condition {
  if (type === undefined) throw wrong(source, item.column, 'the type of a condition is missing');
  return { type: type.value, status: status?.value ?? 'True' };
}

/** The path `a.b.c`, as in kubernetes-entrypoint. Special characters of JSONPath are escaped. */
function jsonpathOf(source: Source, { item, key, value }: Field): JsonPath {
  if (key === undefined) throw wrong(source, item.column, 'the key of a field is missing');
  const steps = key.value.split('.');
  const odd = steps.find((step) => !/^[\w/-]+$/.test(step));
  if (odd !== undefined)
    throw wrong(source, key.column, `'${key.value}' is not a key such as status.phase: '${odd}' is not supported`);
  return { path: `{${steps.map((step) => (/^\w+$/.test(step) ? `.${step}` : `['${step}']`)).join('')}}`, value };
}
