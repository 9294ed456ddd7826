import type { Log } from '../../core/log.ts';
import type { KubeClient, KubeObject, SetRef } from '../../kube/types.ts';

/** A watched set of objects, kept in memory. It may be older than the server's state, so no write is based on it alone. */
export interface Cache<T extends KubeObject> {
  get(name: string): T | undefined;
  values(): Iterable<T>;
}

interface CacheOptions<T extends KubeObject> {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly metadataOnly?: boolean;
  /** Keeps only what is used of an object. */
  readonly keep?: (object: T) => T;
  /** See WatchOptions. */
  readonly onMoved?: () => void;
  /** Called for each object that was added, changed or deleted. */
  readonly onChange: (object: T) => void;
}

/** @returns the cache, and `known`, which resolves when it has all existing objects; `ended` rejects if it can't be watched */
export function watched<T extends KubeObject>(
  client: KubeClient,
  ref: SetRef,
  { signal, log, metadataOnly = false, keep = (object) => object, onMoved, onChange }: CacheOptions<T>,
): Cache<T> & { readonly known: Promise<void>; readonly ended: Promise<void> } {
  let objects = new Map<string, T>();
  const known = Promise.withResolvers<void>();
  const follow = async () => {
    const warn = (message: string) => log.warn(message);
    for await (const seen of client.watchSet<T>(ref, { signal, warn, metadataOnly, onMoved })) {
      if (seen.kind === 'trouble') log.warn(`watch of ${ref.resource}: ${seen.reason}`);
      if (seen.kind === 'connected') log.info(`watch of ${ref.resource}: connected`);
      if (seen.kind !== 'set') continue;
      const before = objects;
      objects = new Map(
        [...seen.objects].map(([name, object]) => {
          const old = before.get(name);
          return [name, old !== undefined && isSame(old, object) ? old : keep(object)];
        }),
      );
      known.resolve();
      for (const [name, object] of objects) if (before.get(name) !== object) onChange(object);
      for (const [name, object] of before) if (!objects.has(name)) onChange(object);
    }
  };
  const ended = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // Also if it ends before it is complete: no caller must wait for it then.
  ended.then(known.resolve, known.reject);
  return { get: (name) => objects.get(name), values: () => objects.values(), known: known.promise, ended };
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion;
}
