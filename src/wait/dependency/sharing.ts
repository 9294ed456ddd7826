/**
 * Many waits share few watches.
 *
 *   up to 8 names of a kind in a namespace -> own watches, which a Role can allow by resourceNames
 *   more names, or labels                  -> one watch of the namespace for all of them
 *   Secrets and ConfigMaps                 -> always own watches: no permission to list should be needed
 *
 * An event costs the API server 30 us per watch, and a connection costs both sides more. Waiters see the same in both
 * cases: their current objects, and again after each change.
 */
import { KollaError, messageOf } from '../../core/errors.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { ApiError, ForbiddenError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject, ObjectRef, SetObservation, SetRef, WayObservation } from '../../kube/types.ts';
import { isByName, matches, NAMES_WITH_OWN_WATCH, type Demands } from './demand.ts';
import { Mailbox } from '../../core/mailbox.ts';

const BACKOFF = { minMs: 200, maxMs: 5000 };
/** Time after which a denial is final: an API server that has just started denies everything. */
const REFUSED_MS = 10_000;

/** A resource in the API. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The objects for which one waiter waits. */
export interface View {
  readonly resource: Resource;
  /** The namespace; empty for cluster-scoped resources. */
  readonly namespace: string;
  /** Undefined for a label selector. */
  readonly name: string | undefined;
  readonly labels: readonly string[];
  readonly metadataOnly: boolean;
  /** Whether the waiter always has its own watch. */
  readonly isAlone: boolean;
  /** Whether the absence of an object must be certain. */
  readonly mustBeSure: boolean;
}

export type SharedObservation<T extends KubeObject> =
  /** All objects that currently exist; those in `gone` existed before. */
  { readonly kind: 'objects'; readonly objects: readonly T[]; readonly gone: readonly T[] } | WayObservation;

/** The result of one watch, which waiters share. */
type Observed = SetObservation<KubeObject> | { readonly kind: 'error'; readonly error: unknown };

interface Shared {
  readonly subscribers: Set<(observed: Observed) => void>;
  readonly stop: AbortController;
  /** For waiters that join later. */
  latest: Observed | undefined;
}

export class Watches {
  readonly #kube: () => Promise<KubeClient>;
  readonly #warn: (message: string) => void;
  readonly #demand: Demands;
  readonly #shared = new Map<string, Shared>();

  /** @param demand the demand of all waits together, known before the first one starts */
  constructor(kube: () => Promise<KubeClient>, warn: (message: string) => void, demand: Demands) {
    this.#kube = kube;
    this.#warn = warn;
    this.#demand = demand;
  }

  /**
   * The current objects of one waiter, first and after each change, until the signal is aborted.
   * @param kind the kind under which the demand is counted
   * @throws ForbiddenError if it may be neither watched nor read
   */
  async *see<T extends KubeObject>(
    kind: string,
    view: View,
    signal: AbortSignal,
  ): AsyncGenerator<SharedObservation<T>> {
    const client = await this.#kube();
    const demand = this.#demand(kind, view.namespace, client.namespace);
    const { names, selectors } = demand;
    const { name } = view;
    if (name !== undefined && isByName(view, demand)) {
      yield* this.#seeOne<T>({ ...refOf(view), name }, view, signal);
      return;
    }
    const isShared = names.size > NAMES_WITH_OWN_WATCH;
    const ref: SetRef = {
      ...refOf(view),
      // The server applies a single selector. If several share a watch, they are applied here.
      labelSelector: !isShared && selectors.size <= 1 ? view.labels.join(',') : undefined,
      names: name !== undefined && selectors.size === 0 ? [...names] : undefined,
    };
    const isOurs = (object: T) =>
      name === undefined ? matches(view.labels, object.metadata.labels) : object.metadata.name === name;
    yield* this.#seeSet<T>(ref, isOurs, signal);
  }

  /** Like see(), for a set that only one waiter uses. */
  async *seeAlone<T extends KubeObject>(ref: SetRef, signal: AbortSignal): AsyncGenerator<SharedObservation<T>> {
    yield* this.#seeSet<T>(ref, () => true, signal);
  }

  async *#seeOne<T extends KubeObject>(
    ref: ObjectRef,
    { metadataOnly, mustBeSure }: View,
    signal: AbortSignal,
  ): AsyncGenerator<SharedObservation<T>> {
    const client = await this.#kube();
    let known: T | undefined;
    for await (const seen of client.watch<T>(ref, { signal, warn: this.#warn, metadataOnly })) {
      if (seen.kind === 'trouble' || seen.kind === 'connected') {
        yield seen;
        continue;
      }
      const before = known;
      known = seen.kind === 'object' ? seen.object : undefined;
      // A watch that sends no initial events may be slow.
      if (seen.kind === 'absent' && mustBeSure) known = yield* askUntilSure<T>(client, ref, metadataOnly, signal);
      const gone = seen.kind === 'deleted' ? seen.object : before;
      yield {
        kind: 'objects',
        objects: known === undefined ? [] : [known],
        gone: known === undefined && gone !== undefined ? [gone] : [],
      };
    }
  }

  async *#seeSet<T extends KubeObject>(
    ref: SetRef,
    isOurs: (object: T) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<SharedObservation<T>> {
    const client = await this.#kube();
    const key = JSON.stringify(ref);
    const shared = this.#shared.get(key) ?? this.#begin(key, client, ref);
    const mailbox = new Mailbox<SharedObservation<T>>();
    let known: ReadonlyMap<string, T> | undefined;
    const take = (seen: Observed) => {
      if (seen.kind === 'error') return mailbox.fail(seen.error);
      if (seen.kind !== 'set') return mailbox.put(seen);
      const before = known;
      known = new Map([...(seen.objects as ReadonlyMap<string, T>)].filter(([, object]) => isOurs(object)));
      if (before !== undefined && isSame(before, known)) return;
      const now = known;
      const gone = [...(before ?? [])].flatMap(([each, object]) => (now.has(each) ? [] : [object]));
      mailbox.put({ kind: 'objects', objects: [...known.values()], gone });
    };
    shared.subscribers.add(take);
    try {
      if (shared.latest !== undefined) take(shared.latest);
      yield* mailbox.letters(signal);
    } finally {
      shared.subscribers.delete(take);
      if (shared.subscribers.size === 0) {
        this.#shared.delete(key);
        shared.stop.abort();
      }
    }
  }

  #begin(key: string, client: KubeClient, ref: SetRef): Shared {
    const stop = new AbortController();
    const shared: Shared = { subscribers: new Set(), stop, latest: undefined };
    this.#shared.set(key, shared);
    const tell = (seen: Observed) => {
      for (const each of shared.subscribers) each(seen);
    };
    const pump = async () => {
      try {
        for await (const seen of client.watchSet<KubeObject>(ref, { signal: stop.signal, warn: this.#warn })) {
          if (seen.kind === 'set') shared.latest = seen;
          tell(seen);
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        shared.latest = { kind: 'error', error };
        tell(shared.latest);
      }
    };
    void pump();
    return shared;
  }
}

/** Whether the object exists, according to a response and not to the absence of events. */
async function* askUntilSure<T extends KubeObject>(
  client: KubeClient,
  ref: ObjectRef,
  metadataOnly: boolean,
  signal: AbortSignal,
): AsyncGenerator<SharedObservation<T>, T | undefined> {
  let refusedAt: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await client.get<T>(objectPath(ref), { signal, metadataOnly });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError) throw error;
      if (error instanceof ApiError && error.status === 404) return undefined;
      refusedAt = error instanceof ApiError && error.status === 403 ? (refusedAt ?? performance.now()) : undefined;
      if (refusedAt !== undefined && performance.now() - refusedAt > REFUSED_MS)
        throw new ForbiddenError(
          messageOf(error),
          'confirming absence requires the verb get: kolla-init rbac prints the Role',
          { cause: error },
        );
      yield { kind: 'trouble', reason: messageOf(error) };
      await pause(backoffMs(attempt, BACKOFF), signal);
    }
  }
}

function refOf({ resource, namespace }: View): Omit<ObjectRef, 'name'> {
  return { group: resource.group, version: resource.version, resource: resource.resource, namespace };
}

function isSame(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
