/**
 * Translates kubernetes-entrypoint's environment.
 *
 *   DEPENDENCY_* -> list.ts (`a,ns:b`), or json.ts (values with columns) -> json-variables.ts: members of entries
 *   -> made.ts: the Dependency that --wait would give -> the same waiters
 *
 * Entries that kubernetes-entrypoint skipped with a log line, without waiting, are a UsageError (64) with variable and
 * column; in lenient mode they are skipped and logged again. Entries it would have waited for forever (an empty name, a
 * name with a space) are a UsageError in both modes.
 */
import type { Dependency } from '../dependency/dependency.ts';
import { checkName, wrong, type Source } from '../grammar/source.ts';
import { customResourcesIn, jobsIn, podsIn } from './json-variables.ts';
import { leftOut, skipIfLenient, type Leniency } from './leave-out.ts';
import { namesOf, objectsOf, pathsOf } from './list.ts';
import {
  containerDependency,
  daemonsetDependency,
  jobDependency,
  serviceDependency,
  socketDependency,
} from './made.ts';

/** Values in the environment; undefined if unset or empty. */
export interface EntrypointVariables {
  readonly service: string | undefined;
  readonly jobs: string | undefined;
  readonly jobsJson: string | undefined;
  readonly daemonset: string | undefined;
  readonly container: string | undefined;
  readonly podJson: string | undefined;
  readonly socket: string | undefined;
  readonly customResource: string | undefined;
  readonly config: string | undefined;
  readonly podName: string | undefined;
  /** The default namespace. */
  readonly namespace: string;
}

export interface Translated {
  /** Dependencies without duplicates. */
  readonly dependencies: readonly Dependency[];
  /** Files to render, without duplicates. */
  readonly configs: readonly string[];
}

/** The waits that these variables define. Throws UsageError with variable and column. */
export function translate(all: EntrypointVariables, way: Leniency): Translated {
  const given = withoutBlankJson(all);
  const { namespace: base, podName } = given;
  checkName({ text: base, called: 'NAMESPACE' }, 'a namespace', { value: base, column: 1 }, 'label');
  if (podName !== undefined)
    checkName({ text: podName, called: 'POD_NAME' }, 'a Pod', { value: podName, column: 1 }, 'subdomain');
  const from = <T>(variable: string, text: string | undefined, read: (source: Source) => T[]): T[] =>
    text === undefined ? [] : read({ text, called: variable });
  /**
   * Entries that depend on the Pod's identity. kubernetes-entrypoint skipped each if it was unknown, so that a list
   * without entries, as a template leaves it, needs none.
   */
  const where = <T>(source: Source, entries: T[]): T[] =>
    skipIfLenient(way, () => {
      if (podName === undefined && entries.length > 0) throw leftOut(source, 1, NEEDS_POD_NAME);
      return entries;
    }) ?? [];
  const dependencies = [
    ...from('DEPENDENCY_SERVICE', given.service, (source) =>
      objectsOf(source, way, 'a Service', 'label').map((it) => serviceDependency(it.name, it.namespace ?? base)),
    ),
    ...jobs(given, way),
    ...from('DEPENDENCY_DAEMONSET', given.daemonset, (source) =>
      where(
        source,
        objectsOf(source, way, 'a DaemonSet', 'subdomain').map((it) =>
          daemonsetDependency(it.name, it.namespace ?? base),
        ),
      ),
    ),
    ...from('DEPENDENCY_CONTAINER', given.container, (source) => containers(source, podName, way)),
    ...from('DEPENDENCY_POD_JSON', given.podJson, (source) => where(source, podsIn(source, way, base))),
    ...from('DEPENDENCY_SOCKET', given.socket, (source) => pathsOf(source, way).map(socketDependency)),
    ...from('DEPENDENCY_CUSTOM_RESOURCE', given.customResource, (source) => customResourcesIn(source, way, base)),
  ];
  const configs = from('DEPENDENCY_CONFIG', given.config, (source) => pathsOf(source, way));
  return { dependencies: eachOnce(dependencies), configs: [...new Set(configs)] };
}

/**
 * Treats JSON variables with only whitespace as unset: a template without entries leaves it. In a list, whitespace is
 * the name of an entry.
 */
function withoutBlankJson(given: EntrypointVariables): EntrypointVariables {
  const json = (text: string | undefined) => (text === undefined || /^[ \t\n\r]*$/.test(text) ? undefined : text);
  const { jobsJson, podJson, customResource } = given;
  return { ...given, jobsJson: json(jobsJson), podJson: json(podJson), customResource: json(customResource) };
}

const NEEDS_POD_NAME = 'POD_NAME is not set; set it from metadata.name (downward API)';

function jobs({ jobs: list, jobsJson, namespace: base }: EntrypointVariables, way: Leniency): Dependency[] {
  if (jobsJson !== undefined) {
    if (list !== undefined) way.warn('Ignoring DEPENDENCY_JOBS since DEPENDENCY_JOBS_JSON was specified');
    return jobsIn({ text: jobsJson, called: 'DEPENDENCY_JOBS_JSON' }, way, base);
  }
  if (list === undefined) return [];
  const all = objectsOf({ text: list, called: 'DEPENDENCY_JOBS' }, way, 'a Job', 'subdomain');
  return all.map((it) => jobDependency(it.name, it.namespace ?? base));
}

function containers(source: Source, podName: string | undefined, way: Leniency): Dependency[] {
  if (podName === undefined) throw wrong(source, 1, NEEDS_POD_NAME);
  return namesOf(source, way).map((name) => {
    checkName(source, 'a container', name, 'label');
    return containerDependency(name.value);
  });
}

/** Removes duplicates, and numbers equal texts, because the log and the board identify a dependency by its text. */
function eachOnce(dependencies: readonly Dependency[]): Dependency[] {
  const different = [...new Map(dependencies.map((each) => [JSON.stringify(each), each])).values()];
  const times = new Map<string, number>();
  return different.map((each) => {
    const n = (times.get(each.text) ?? 0) + 1;
    times.set(each.text, n);
    return n === 1 ? each : { ...each, text: `${each.text} (${n})` };
  });
}
