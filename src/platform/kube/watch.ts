import { messageOf, KollaError } from '../../cli/errors.ts';
import { backoffMs, pause } from '../backoff.ts';
import { ApiError, errorFromStatus } from './api-error.ts';
import type { Api } from './client.ts';
import { jsonLines } from './json-lines.ts';
import { objectPath } from './path.ts';
import { poll } from './poll.ts';
import { resourceName, userIn } from './role.ts';
import type { KubeObject, ObjectRef, Observation, WatchOptions } from './types.ts';

/** When a watch asks, gives up and comes back. */
export interface Timing {
  /** The server ends a watch after this, spread so that a thousand don't come back together. */
  readonly serverMinS: number;
  readonly serverMaxS: number;
  /** Bookmarks come each minute: after longer silence the connection is taken for dead. */
  readonly idleMs: number;
  /** What exists is sent at once; this long without is called absent (in the status only). */
  readonly absentMs: number;
  readonly pollMs: number;
  readonly backoff: { readonly minMs: number; readonly maxMs: number };
}

export const TIMING: Timing = {
  serverMinS: 300,
  serverMaxS: 600,
  idleMs: 90_000,
  absentMs: 500,
  pollMs: 2000,
  backoff: { minMs: 200, maxMs: 5000 },
};

interface WatchEvent<T> {
  readonly type?: string;
  readonly object?: T;
}

/**
 * Watches one object. Without a resourceVersion the server first sends what exists, so one watch needs no list; a
 * field selector on the name passes Roles that are limited by resourceNames. Where watching is not allowed it polls.
 */
export async function* watchObject<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  { signal, warn }: WatchOptions,
  timing: Timing = TIMING,
): AsyncGenerator<Observation<T>> {
  let version: string | undefined;
  let attempt = 0;
  let isTroubled = false;
  for (;;) {
    try {
      for await (const observation of watchOnce<T>(api, ref, version, signal, timing)) {
        if (observation.kind === 'opened') {
          if (isTroubled) yield { kind: 'connected' };
          isTroubled = false;
          continue;
        }
        attempt = 0;
        if (observation.kind === 'version') version = observation.version;
        else yield observation;
      }
      // The server ended it: that is what timeoutSeconds asks for, or a rolling restart.
      await pause(backoffMs(attempt++, timing.backoff), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError) throw error;
      const status = error instanceof ApiError ? error.status : undefined;
      if (status === 403) {
        warn(denied(ref, messageOf(error), timing));
        yield* poll<T>(api, ref, signal, timing);
        return;
      }
      if (status === 410) {
        // Our version is older than what the server still knows: begin again with what is there now.
        version = undefined;
      } else {
        isTroubled = true;
        yield { kind: 'trouble', reason: messageOf(error) };
      }
      const asked = error instanceof ApiError ? error.retryAfterMs : 0;
      await pause(asked + backoffMs(attempt++, timing.backoff), signal);
    }
  }
}

type Part<T extends KubeObject> =
  | Observation<T>
  | { readonly kind: 'opened' }
  | { readonly kind: 'version'; readonly version: string };

/** One connection's worth. Ends when the server ends it; throws what went wrong. */
async function* watchOnce<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  version: string | undefined,
  signal: AbortSignal,
  timing: Timing,
): AsyncGenerator<Part<T>> {
  const response = await api.open(watchPath(ref, version, timing), signal);
  const silence = setTimeout(() => {
    response.destroy(new Error(`nothing heard from the API server for ${timing.idleMs / 1000} s`));
  }, timing.idleMs);
  try {
    yield { kind: 'opened' };
    const events = jsonLines(response, () => silence.refresh());
    let next = events.next();
    let isKnown = version !== undefined;
    if (!isKnown && !(await settlesWithin(next, timing.absentMs))) {
      isKnown = true;
      yield { kind: 'absent' };
    }
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      const event = value as WatchEvent<T>;
      // Servers that send a bookmark after what exists (1.35 does, unasked) tell so at once that nothing does.
      if (!isKnown && event.type === 'BOOKMARK') yield { kind: 'absent' };
      isKnown = true;
      yield* partsOf<T>(event);
      next = events.next();
    }
  } finally {
    clearTimeout(silence);
    response.destroy();
  }
}

function* partsOf<T extends KubeObject>({ type, object }: WatchEvent<T>): Generator<Part<T>> {
  if (type === 'ERROR' || object === undefined) throw errorFromStatus(object);
  if (type === 'ADDED' || type === 'MODIFIED') yield { kind: 'object', object };
  if (type === 'DELETED') yield { kind: 'deleted', object };
  // After the event was handled, so that a handler that fails does not lose it.
  const version = object.metadata.resourceVersion;
  if (version !== undefined) yield { kind: 'version', version };
}

function watchPath(ref: ObjectRef, version: string | undefined, { serverMinS, serverMaxS }: Timing): string {
  const { folder } = objectPath(ref);
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    fieldSelector: `metadata.name=${ref.name}`,
    timeoutSeconds: String(Math.round(serverMinS + Math.random() * (serverMaxS - serverMinS))),
    ...(version === undefined ? {} : { resourceVersion: version }),
  });
  return `${folder}?${query.toString()}`;
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settled, settled);
  });
}

function denied(ref: ObjectRef, message: string, { pollMs }: Timing): string {
  const who = userIn(message) ?? 'this user';
  return (
    `${who} may not watch ${resourceName(ref)} in namespace ${ref.namespace}: asking every ${pollMs / 1000} s instead; ` +
    `add the verb watch to its Role`
  );
}
