import type { Cache } from './runtime/cache.ts';
import { withVerdicts } from './api/conditions.ts';
import type { Journal } from './journal.ts';
import type { Kind, OwnObject } from './api/objects.ts';
import type { Publisher } from './runtime/publish.ts';

interface Effects {
  readonly journal: Journal;
  /** Of the kinds that this process handles. */
  readonly caches: Readonly<Partial<Record<Kind, Cache<OwnObject>>>>;
  readonly publisher: Publisher;
  readonly now: () => Date;
}

/** Shows on each object that is tried last why, before it is tried: the process may die again. */
export async function publishSuspects(
  { journal, caches, publisher, now }: Effects,
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, name, deaths } of journal.suspects()) {
    const cache = caches[kind];
    const object = cache?.get(name);
    if (cache !== undefined && object === undefined) journal.end(kind, name);
    if (object === undefined) continue;
    const message =
      `kolla-operator died ${deaths} times during a turn of this object, which is tried last now: ` +
      'see kubectl logs --previous of its Pod, and the size of values and chart';
    const before = publisher.statusOf<NonNullable<OwnObject['status']>>(object);
    const verdict = { status: 'True', reason: 'OperatorDied', message } as const;
    const { generation } = object.metadata;
    const conditions = withVerdicts(before?.conditions, { Degraded: verdict }, generation, now());
    if (await publisher.write(kind, object, { ...before, message, conditions }, signal))
      await publisher.event(kind, object, 'Warning', verdict.reason, message, signal);
  }
}
