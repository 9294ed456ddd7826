import { UnavailableError, UsageError } from '../../core/errors.ts';
import { releaseOf } from '../../kube/db-sync-lease.ts';
import type { KubeObject } from '../../kube/types.ts';
import { judgeAsked } from './asked.ts';
import type { ObjectDependency } from './dependency.ts';
import { MalformedError, PLAIN, shaped, type Shape } from '../shape/shape.ts';
import type { Resource, SharedObservation, View } from './sharing.ts';
import { Reasons } from './reasons.ts';
import { met, skipped, pending, together, type Judge, type WaitState } from './verdict.ts';
import type { Effects, Report, WaitOptions, Waiter, WaitContext } from './waiter.ts';

/** What a kind of object means for a wait. */
interface Meaning<T extends KubeObject> {
  readonly resource: Resource;
  /** The fields that `judge` and `ofMany` read. */
  readonly shape: Shape;
  readonly judge: Judge<T>;
  /** For several objects: whether all that count must be met, or one, or how their verdicts are combined. */
  readonly ofMany: 'all' | 'any' | ((objects: readonly T[]) => WaitState);
  /** The meaning of `!`: that no such object exists (the default), or that the verdict is negative. */
  readonly negates?: 'existence' | 'verdict';
  readonly metadataOnly?: boolean;
  /** Each object has its own watch, however many there are, so that no permission to list is needed. */
  readonly isAlone?: boolean;
  /** The state if no object is found; by default `no such KIND`. */
  readonly none?: string;
  /**
   * Looks up the result of a missing object elsewhere. Undefined if it is unknown there too.
   * @param state the state without it
   */
  readonly whenAbsent?: (namespace: string, state: string, signal: AbortSignal) => Promise<WaitState | undefined>;
  /** Whether something else forbids what the objects allow; undefined if nothing does. */
  readonly unlessRefused?: (
    objects: readonly KubeObject[],
    namespace: string,
    report: Report,
    signal: AbortSignal,
  ) => Promise<WaitState | undefined>;
  /** Why objects that are not met stay so, as other objects tell it: see Reasons. */
  readonly explain?: (objects: readonly T[], namespace: string, signal: AbortSignal) => Promise<string | undefined>;
  /** The fix for a `failed` verdict, worded to follow the state. */
  readonly fix?: (kubectl: (words: string) => string) => string;
  /** kubectl's name of the resource; by default the dependency's kind. */
  readonly kubectlKind?: string;
}

/** Fetches a Meaning from the API server at the start of the wait. */
type Learn<T extends KubeObject> = (report: Report, signal: AbortSignal) => Promise<Meaning<T>>;

/** The waiter for watched objects. */
export function objectWaiter<T extends KubeObject>(
  dependency: ObjectDependency,
  options: WaitOptions,
  effects: Effects,
  meaningOf: Meaning<T> | Learn<T>,
): Waiter {
  const { text, kind, name, labels } = dependency;
  const kubectlKind = typeof meaningOf === 'function' ? kind : (meaningOf.kubectlKind ?? kind);
  let namespace = dependency.namespace ?? '';
  let trouble: Trouble | undefined;
  const kubectl = (words: string) => {
    const where = namespace === '' ? '' : ` -n ${namespace}`;
    const which = name === undefined ? `${kubectlKind} -l '${labels.join(',')}'` : `${kubectlKind}/${name}`;
    return `kubectl${where} ${words} ${which}`;
  };
  return {
    hint: () => troubleHint(trouble) ?? kubectl(name === undefined ? 'get' : 'describe'),
    async wait(report, signal) {
      const client = await effects.kube();
      const meaning = typeof meaningOf === 'function' ? await meaningOf(report, signal) : meaningOf;
      const { resource, metadataOnly = false, isAlone = false, fix } = meaning;
      if (!resource.namespaced && dependency.namespace !== undefined)
        throw new UsageError(`wait '${text}': a ${resource.kind} has no namespace`);
      namespace = resource.namespaced ? (dependency.namespace ?? client.namespace) : '';
      const view: View = { resource, namespace, name, labels, metadataOnly, isAlone, mustBeSure: dependency.isNegated };
      const counts = await filterOf(dependency, effects, { report, signal });
      const question: Question<T> = {
        dependency,
        meaning,
        namespace,
        judge: judgeOf(dependency, meaning),
        counts,
      };
      using reasons = new Reasons(report, signal);
      reasons.state('not seen yet');
      for await (const seen of effects.watches.see<T>(kind, view, signal)) {
        trouble = seen.kind === 'trouble' ? seen : undefined;
        if (seen.kind === 'trouble') reasons.interrupt(`API server: ${seen.reason}`);
        if (seen.kind === 'connected') reasons.resume();
        if (seen.kind !== 'objects') continue;
        const verdict = await unlessMalformed(() => verdictOn(seen, question, { report, signal }));
        if (verdict.is === 'met') return verdict.state;
        if (verdict.is === 'refused') throw new UnavailableError(`${text}: ${verdict.state}`);
        if (verdict.is === 'failed' && options.onFailedJob === 'fail')
          throw new UnavailableError(`${text} ${verdict.state}${fix === undefined ? '' : `; ${fix(kubectl)}`}`);
        const { explain } = meaning;
        const objects = seen.objects.filter(counts);
        if (verdict.is === 'failed') reasons.state(`${verdict.state}; waiting for another`);
        else if (explain === undefined || dependency.isNegated) reasons.state(verdict.state);
        else reasons.state(verdict.state, (until) => explain(objects, namespace, until));
      }
      throw new Error(`the watch of ${text} ended`);
    },
  };
}

type Trouble = Extract<SharedObservation<KubeObject>, { kind: 'trouble' }>;

/** The next command while the API server itself is the problem: the object tells nothing then. */
function troubleHint(trouble: Trouble | undefined): string | undefined {
  if (trouble === undefined) return undefined;
  if (trouble.status === 401) return 'kubectl auth whoami, with the same credentials: they are expired or revoked';
  return 'kubectl get --raw=/readyz';
}

interface Question<T extends KubeObject> {
  readonly dependency: ObjectDependency;
  readonly meaning: Meaning<T>;
  readonly namespace: string;
  readonly judge: Judge<T>;
  readonly counts: (object: KubeObject) => boolean;
}

/** The verdict; pending if the object is malformed, also for negated waits. */
export async function unlessMalformed(verdict: () => WaitState | Promise<WaitState>): Promise<WaitState> {
  try {
    return await verdict();
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return pending(error.message);
  }
}

async function verdictOn<T extends KubeObject>(
  { objects: all, gone }: Extract<SharedObservation<T>, { kind: 'objects' }>,
  { dependency, meaning, namespace, judge, counts }: Question<T>,
  { report, signal }: WaitContext,
): Promise<WaitState> {
  const { resource, whenAbsent, unlessRefused, none = `no such ${resource.kind}` } = meaning;
  const absent = none + (namespace === '' ? '' : ` in namespace ${namespace}`);
  const objects = all.filter(counts);
  if (objects.length > 0) {
    const verdict = verdictOnAll(objects, judge, dependency, meaning);
    if (dependency.isNegated) return opposite(verdict);
    return (verdict.is === 'met' && (await unlessRefused?.(objects, namespace, report, signal))) || verdict;
  }
  if (dependency.isNegated) return met(absent);
  const vanished = gone.filter(counts);
  if (vanished.length > 0) {
    // A Job that its TTL controller has deleted right after it completed counts as Complete.
    const last = verdictOnAll(vanished, judge, dependency, meaning);
    if (last.is !== 'met' || dependency.kind !== 'job') return pending('deleted; waiting for another');
    return (await unlessRefused?.(vanished, namespace, report, signal)) ?? last;
  }
  const state = `${absent} yet`;
  return (await whenAbsent?.(namespace, state, signal)) ?? pending(state);
}

function verdictOnAll<T extends KubeObject>(
  given: readonly T[],
  judge: Judge<T>,
  { name, release, isNegated }: ObjectDependency,
  { ofMany, shape }: Meaning<T>,
): WaitState {
  if (typeof ofMany === 'function') return ofMany(given.map((object) => shaped(shape, object) as T));
  const objects = given.map((object) => shaped(PLAIN, object) as T);
  const judged = objects.map((object) => {
    const isOther = release !== undefined && releaseOf(object.metadata) !== release;
    const verdict = isOther
      ? skipped(`of release ${releaseOf(object.metadata) ?? 'unknown'}, not ${release}`)
      : judge(object);
    return [object.metadata.name, verdict] as const;
  });
  const [only] = judged;
  // A negated wait for a set continues while any object remains.
  if (name === undefined || only === undefined) return together(judged, isNegated ? 'any' : ofMany);
  return only[1].is === 'skipped' ? pending(only[1].state) : only[1];
}

function opposite({ is, state }: WaitState): WaitState {
  return is === 'met' ? pending(state) : met(state);
}

/** Judges by the given conditions or JSONPaths, or else by the meaning of the kind. */
function judgeOf<T extends KubeObject>(dependency: ObjectDependency, meaning: Meaning<T>): Judge<T> {
  const { conditions, jsonpaths, isNegated } = dependency;
  if (conditions.length > 0 || jsonpaths.length > 0) return judgeAsked(dependency);
  if (!isNegated || meaning.negates === 'verdict') return (object) => meaning.judge(shaped(meaning.shape, object) as T);
  // A Pod that is not ready, or is terminating, still exists.
  return ({ metadata }) => met(metadata.deletionTimestamp === undefined ? 'is there' : 'being deleted');
}

/** Filters the objects that count for this wait. */
async function filterOf(
  { isOnOwnNode, kind }: ObjectDependency,
  { ownNode }: Effects,
  way: WaitContext,
): Promise<(object: KubeObject) => boolean> {
  if (!isOnOwnNode) return () => true;
  const own = await ownNode(way);
  if (kind === 'node') return ({ metadata }) => metadata.name === own;
  return (object) => (object as { spec?: { nodeName?: string } }).spec?.nodeName === own;
}
