import { pollObject, pollSet } from './poll.ts';
import type { KubeObject, ObjectRef, Observation, SetObservation, SetRef, WatchOptions } from './types.ts';
import type { Api } from './api.ts';
import { endsBeginning, follow, type Step, type Subject } from './follow.ts';
import { keyOf } from './path.ts';
import { unwatchable } from './role.ts';
import type { Timing } from './timing.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Watches one object. A field selector on the name is compatible with Roles that use resourceNames. If watching is
 * denied, it polls, and retries the watch from time to time.
 */
export async function* watchObject<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  options: WatchOptions,
  timing: Timing,
): AsyncGenerator<Observation<T>> {
  const { signal, metadataOnly = false } = options;
  const warn = onceEach(options.warn);
  const named = { ...ref, fieldSelector: `metadata.name=${ref.name}` };
  const subject: Subject = { ref: named, metadataOnly, whenQuiet: 'absent' };
  for (;;) {
    const reason = yield* objectObservations(follow<T>(api, subject, signal, timing));
    warn(unwatchable(ref, reason, timing));
    yield* pollObject<T>(api, ref, { signal, metadataOnly }, timing);
  }
}

async function* objectObservations<T extends KubeObject, R>(
  steps: AsyncGenerator<Step<T>, R>,
): AsyncGenerator<Observation<T>, R> {
  let isKnown = false;
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return value;
      switch (value.kind) {
        case 'trouble':
        case 'connected':
          yield value;
          break;
        case 'begin':
          isKnown = false;
          break;
        case 'quiet':
          isKnown = true;
          yield { kind: 'absent' };
          break;
        case 'events':
          for (const { type, object } of value.events) {
            // A bookmark without earlier events means that the object is absent: servers (since 1.35 by default) send
            // one after the initial events.
            if (!isKnown && type === 'BOOKMARK') yield { kind: 'absent' };
            isKnown = true;
            if (type === 'ADDED' || type === 'MODIFIED') yield { kind: 'object', object };
            if (type === 'DELETED') yield { kind: 'deleted', object };
          }
          break;
        case 'all':
          break;
      }
    }
  } finally {
    await steps.return(undefined as never);
  }
}

/** Passes each message on only once. */
function onceEach(say: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    say(message);
  };
}

/**
 * Watches a set: reports all its objects as soon as they are known, and again after each batch of changes. If watching
 * is denied, it polls, and retries the watch from time to time.
 */
export async function* watchSet<T extends KubeObject>(
  api: Api,
  ref: SetRef,
  options: WatchOptions,
  timing: Timing,
): AsyncGenerator<SetObservation<T>> {
  const { signal, metadataOnly = false, onMoved } = options;
  const warn = onceEach(options.warn);
  const subject: Subject = { ref, metadataOnly, whenQuiet: 'list', onMoved };
  for (;;) {
    const reason = yield* setObservations(ref, follow<T>(api, subject, signal, timing));
    warn(unwatchable(ref, reason, timing));
    yield* pollSet<T>(api, ref, { signal, warn, metadataOnly, onMoved }, timing);
  }
}

async function* setObservations<T extends KubeObject, R>(
  ref: SetRef,
  steps: AsyncGenerator<Step<T>, R>,
): AsyncGenerator<SetObservation<T>, R> {
  const objects = new Map<string, T>();
  let isKnown = false;
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return value;
      let [isChanged, isUpdated] = [false, false];
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
          for (const event of value.events) {
            // Of an object that was deleted right after a change, such as a Job that has completed, the change is seen too.
            if (event.type === 'DELETED' && isKnown && isUpdated) {
              yield { kind: 'set', objects: new Map(objects) };
              isUpdated = false;
            }
            if (!apply(ref, objects, event)) continue;
            isChanged = true;
            if (event.type !== 'DELETED') isUpdated = true;
          }
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
