import type { Api } from './api.ts';
import { endsBeginning, follow, type Step, type Subject } from './follow.ts';
import { onceEach } from './once.ts';
import { keyOf } from './path.ts';
import { pollSet } from './poll.ts';
import { unwatchable } from './role.ts';
import type { Timing } from './timing.ts';
import type { KubeObject, SetObservation, SetRef, WatchOptions } from './types.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Watches a set: tells all that is in it as soon as that is known, and again after what came together. Where watching is
 * not allowed it polls, and tries from time to time whether it is by now.
 */
export async function* watchSet<T extends KubeObject>(
  api: Api,
  ref: SetRef,
  options: WatchOptions,
  timing: Timing,
): AsyncGenerator<SetObservation<T>> {
  const { signal, metadataOnly = false } = options;
  const warn = onceEach(options.warn);
  const subject: Subject = { ref, metadataOnly, whenQuiet: 'list' };
  for (;;) {
    const reason = yield* observations(ref, follow<T>(api, subject, signal, timing));
    warn(unwatchable(ref, reason, timing));
    yield* pollSet<T>(api, ref, { signal, warn, metadataOnly }, timing);
  }
}

async function* observations<T extends KubeObject, R>(
  ref: SetRef,
  steps: AsyncGenerator<Step<T>, R>,
): AsyncGenerator<SetObservation<T>, R> {
  const objects = new Map<string, T>();
  let isKnown = false;
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return value;
      let isChanged = false;
      switch (value.kind) {
        case 'trouble':
        case 'connected':
          yield value;
          break;
        case 'begin':
          objects.clear();
          isKnown = false;
          break;
        case 'all':
          objects.clear();
          for (const object of value.objects) if (isWanted(ref, object)) objects.set(keyOf(ref, object), object);
          isKnown = isChanged = true;
          break;
        case 'events':
          for (const event of value.events) isChanged = apply(ref, objects, event) || isChanged;
          if (!isKnown && endsBeginning({ whenQuiet: 'list' }, value.events)) isKnown = isChanged = true;
          break;
        case 'quiet':
          break;
      }
      if (isKnown && isChanged) yield { kind: 'set', objects: new Map(objects) };
    }
  } finally {
    await steps.return(undefined as never);
  }
}

function apply<T extends KubeObject>(ref: SetRef, objects: Map<string, T>, { type, object }: WatchEvent<T>): boolean {
  if (!isWanted(ref, object)) return false;
  if (type === 'DELETED') return objects.delete(keyOf(ref, object));
  if (type !== 'ADDED' && type !== 'MODIFIED') return false;
  objects.set(keyOf(ref, object), object);
  return true;
}

function isWanted({ names }: SetRef, { metadata }: KubeObject): boolean {
  return names === undefined || names.includes(metadata.name);
}
