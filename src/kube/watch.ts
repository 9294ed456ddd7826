import { follow, type Step, type Subject } from './follow.ts';
import type { Api } from './api.ts';
import { onceEach } from './once.ts';
import { pollObject } from './poll.ts';
import { unwatchable } from './role.ts';
import type { Timing } from './timing.ts';
import type { KubeObject, ObjectRef, Observation, WatchOptions } from './types.ts';

/**
 * Watches one object. A field selector on the name passes Roles that are limited by resourceNames. Where watching is not
 * allowed it polls, and tries from time to time whether it is by now.
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
    const reason = yield* observations(follow<T>(api, subject, signal, timing));
    warn(unwatchable(ref, reason, timing));
    yield* pollObject<T>(api, ref, { signal, metadataOnly }, timing);
  }
}

async function* observations<T extends KubeObject, R>(
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
            // Servers that send a bookmark after what exists (1.35 does, unasked) tell so at once that nothing does.
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
