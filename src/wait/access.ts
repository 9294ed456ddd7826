import { defined } from '../core/defined.ts';
import type { Grant, Rule } from '../kube/rbac.ts';
import { watchRule } from '../kube/rbac.ts';
import { WATCHES_MAX } from '../kube/timing.ts';
import { demandsOf, isByName } from './demand.ts';
import type { Dependency, ObjectDependency, Reading } from './dependency.ts';
import { ANY } from './kinds/index.ts';
import { resourceOfWord } from './resource-words.ts';

interface Access {
  readonly grants: readonly Grant[];
  /** What had to be taken for granted about resources that only a cluster knows. */
  readonly guesses: readonly string[];
}

/**
 * What waiting for these dependencies asks of the API server, told without it: nothing for those that need none.
 * @param own the namespace where none is given, and of our own Pod
 * @param podName our own Pod's, where all replicas have the same
 */
export function accessOf(dependencies: readonly Dependency[], own: string, podName?: string): Access {
  const objects = dependencies.filter((dependency) => dependency.form === 'object');
  const demands = demandsOf(objects);
  const readings = objects.flatMap((dependency) =>
    dependency.of.reads(dependency, podName).map((reading) => ({ dependency, reading })),
  );
  // Beyond that, each object is asked for.
  const isCrowded = readings.length > WATCHES_MAX;
  const grants = readings.map(({ dependency, reading }): Grant => {
    const { resource } = reading;
    // Our own Pod is where we are, whatever namespace is waited in.
    const namespace = isOwnPod(reading, dependency) ? own : (dependency.namespace ?? own);
    const demand = demands(dependency.kind, resource.namespaced ? namespace : '', own);
    const isAlone = reading.by === 'own watch';
    const isOne = isAlone || (reading.by === 'watch' && isByName({ name: reading.name, isAlone }, demand));
    const rule = ruleFor(reading, isOne, dependency.isNegated || isCrowded);
    return { namespace: resource.namespaced ? namespace : undefined, rule };
  });
  const guesses = objects.flatMap((dependency) =>
    dependency.of === ANY ? (resourceOfWord(dependency.kind).guess ?? []) : [],
  );
  return { grants, guesses: [...new Set(guesses)] };
}

function isOwnPod({ by, resource }: Reading, { kind }: ObjectDependency): boolean {
  return kind === 'container' || (by === 'get' && resource.resource === 'pods');
}

/** @param isOne whether it is watched by itself @param mustAsk whether silence is not enough to know that it is not there */
function ruleFor({ resource: { group, resource }, by, name }: Reading, isOne: boolean, mustAsk: boolean): Rule {
  const place = { group, version: '', resource, namespace: '' };
  const names = defined({ names: name === undefined ? undefined : [name] });
  if (by === 'get') return { group, resource, ...names, verbs: ['get'] };
  if (!isOne) return watchRule(place);
  const { verbs } = watchRule({ ...place, name: name ?? '' });
  return { group, resource, ...names, verbs: mustAsk ? ['get', ...verbs] : verbs };
}
