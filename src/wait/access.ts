import { defined } from '../core/defined.ts';
import type { Grant, Rule } from '../kube/rbac.ts';
import { watchRule } from '../kube/rbac.ts';
import { WATCHES_MAX } from '../kube/timing.ts';
import { demandsOf, isByName } from './dependency/demand.ts';
import type { Dependency, ObjectDependency, Reading } from './dependency/dependency.ts';
import { ANY } from './kinds/index.ts';
import { resourceOfWord } from './dependency/resource-words.ts';

interface Access {
  readonly grants: readonly Grant[];
  /** Assumptions about resources that only a cluster could confirm. */
  readonly guesses: readonly string[];
}

/**
 * The permissions that these waits need, determined without a cluster. Waits without an API server need none.
 * @param own the default namespace, which is also that of our own Pod
 * @param podName the name of our own Pod, if all replicas share it
 */
export function accessOf(dependencies: readonly Dependency[], own: string, podName?: string): Access {
  const objects = dependencies.filter((dependency) => dependency.form === 'object');
  const demands = demandsOf(objects);
  const readings = objects.flatMap((dependency) =>
    dependency.of.reads(dependency, podName).map((reading) => ({ dependency, reading })),
  );
  // Above this number, an object's absence must be confirmed with a get.
  const isCrowded = readings.length > WATCHES_MAX;
  const grants = readings.map(({ dependency, reading }): Grant => {
    const { resource } = reading;
    // Our own Pod is in our namespace, whatever the namespace of the wait.
    const namespace = isOwnPod(reading, dependency) ? own : (dependency.namespace ?? own);
    const demand = demands(dependency.kind, resource.namespaced ? namespace : '', own);
    const isAlone = reading.by === 'own watch';
    const isOne = isAlone || (reading.by === 'watch' && isByName({ name: reading.name, isAlone }, demand));
    const mustAsk = dependency.isNegated || isCrowded || reading.isConfirmed === true;
    const rule = ruleFor(reading, isOne, mustAsk);
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

/**
 * @param isOne whether the object has its own watch
 * @param mustAsk whether its absence must be confirmed with a get
 */
function ruleFor({ resource: { group, resource }, by, name }: Reading, isOne: boolean, mustAsk: boolean): Rule {
  const place = { group, version: '', resource, namespace: '' };
  const names = defined({ names: name === undefined ? undefined : [name] });
  if (by === 'get') return { group, resource, ...names, verbs: ['get'] };
  if (!isOne) return watchRule(place);
  const { verbs } = watchRule({ ...place, name: name ?? '' });
  return { group, resource, ...names, verbs: mustAsk ? ['get', ...verbs] : verbs };
}
