import type { Condition, JsonPath, ObjectDependency, PathDependency } from '../dependency/dependency.ts';
import { any } from '../kinds/any.ts';
import { container } from '../kinds/container.ts';
import { daemonset } from '../kinds/daemonset.ts';
import { job } from '../kinds/job.ts';
import { file } from '../kinds/path.ts';
import { pod } from '../kinds/pod.ts';
import { service } from '../kinds/service.ts';

/** Defaults for a Dependency, whose text is its name in kubernetes-entrypoint's log. */
const PLAIN = {
  form: 'object',
  isNegated: false,
  timeoutMs: undefined,
  name: undefined,
  labels: [],
  conditions: [],
  jsonpaths: [],
  release: undefined,
  isOnOwnNode: false,
  record: undefined,
} as const;

export function serviceDependency(name: string, namespace: string): ObjectDependency {
  return {
    ...PLAIN,
    of: service,
    kind: service.word,
    text: `Service ${name} in namespace ${namespace}`,
    name,
    namespace,
  };
}

export function jobDependency(name: string, namespace: string): ObjectDependency {
  return { ...PLAIN, of: job, kind: job.word, text: `Job ${name} in namespace ${namespace}`, name, namespace };
}

/** @param labels labels such as `app=x` */
export function jobsDependency(labels: readonly string[], namespace: string): ObjectDependency {
  return {
    ...PLAIN,
    of: job,
    kind: job.word,
    text: `Jobs with labels ${mapText(labels)} in namespace ${namespace}`,
    labels,
    namespace,
  };
}

export function daemonsetDependency(name: string, namespace: string): ObjectDependency {
  return {
    ...PLAIN,
    of: daemonset,
    kind: daemonset.word,
    text: `Daemonset ${name} in namespace ${namespace}`,
    name,
    namespace,
  };
}

/** @param labels labels such as `app=x` */
export function podDependency(labels: readonly string[], namespace: string, isOnOwnNode: boolean): ObjectDependency {
  const where = isOnOwnNode ? ' on same host' : '';
  const text = `Pod${where} with labels ${mapText(labels)} in namespace ${namespace}`;
  return { ...PLAIN, of: pod, kind: pod.word, text, labels, namespace, isOnOwnNode };
}

export function containerDependency(name: string): ObjectDependency {
  return { ...PLAIN, of: container, kind: container.word, text: `Container ${name}`, name, namespace: undefined };
}

/** A wait for a path: kubernetes-entrypoint only checks that it exists, without permission to connect. */
export function socketDependency(path: string): PathDependency {
  return {
    form: 'path',
    of: file,
    kind: file.word,
    text: `Socket ${path}`,
    isNegated: false,
    timeoutMs: undefined,
    path,
  };
}

interface CustomResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined for the default namespace, or for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly conditions: readonly Condition[];
  readonly jsonpaths: readonly JsonPath[];
}

export function customResourceDependency(
  { group, version, kind, name, namespace, conditions, jsonpaths }: CustomResource,
  base: string,
): ObjectDependency {
  return {
    ...PLAIN,
    of: any,
    // kubectl's name for one version of a kind.
    kind: `${kind}.${version}.${group}`,
    text: `CustomResource ${kind} ${name} in namespace ${namespace ?? base}`,
    name,
    namespace,
    conditions,
    jsonpaths,
  };
}

/** Labels, formatted like a map in Go: `map[app:x tier:y]`. */
function mapText(labels: readonly string[]): string {
  return `map[${labels.map((label) => label.replace('=', ':')).join(' ')}]`;
}
