import { json } from 'node:stream/consumers';
import { KollaError, NotPermittedError, messageOf } from '../../cli/errors.ts';
import { backoffMs, pause } from '../backoff.ts';
import { ApiError } from './api-error.ts';
import type { Api } from './client.ts';
import { objectPath } from './path.ts';
import { resourceName, roleFor, userIn } from './role.ts';
import type { KubeObject, ObjectRef, Observation } from './types.ts';
import type { Timing } from './watch.ts';

/** Longer than any GET of one object takes. */
const GET_MS = 30_000;

/**
 * The same observations as a watch for who may only get: asks every pollMs, spread by a quarter, and tells only what
 * is new. Throws NotPermittedError with the Role to apply when even that is refused.
 */
export async function* poll<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  signal: AbortSignal,
  timing: Timing,
): AsyncGenerator<Observation<T>> {
  let known: T | 'absent' | undefined;
  let attempt = 0;
  for (;;) {
    try {
      const found = await get<T>(api, ref, signal);
      if (attempt > 0) yield { kind: 'connected' };
      attempt = 0;
      const isNew = known === undefined || versionOf(found) !== versionOf(known);
      const before = known;
      known = found;
      if (found !== 'absent') {
        if (isNew) yield { kind: 'object', object: found };
      } else if (before !== 'absent') {
        yield before === undefined ? { kind: 'absent' } : { kind: 'deleted', object: before };
      }
      await pause(timing.pollMs * (0.75 + Math.random() / 2), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError) throw error;
      yield { kind: 'trouble', reason: messageOf(error) };
      const asked = error instanceof ApiError ? error.retryAfterMs : 0;
      await pause(asked + backoffMs(attempt++, timing.backoff), signal);
    }
  }
}

async function get<T extends KubeObject>(api: Api, ref: ObjectRef, signal: AbortSignal): Promise<T | 'absent'> {
  try {
    const response = await api.open(objectPath(ref).object, AbortSignal.any([signal, AbortSignal.timeout(GET_MS)]));
    return (await json(response)) as T;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return 'absent';
    if (error.status !== 403) throw error;
    const user = userIn(error.message);
    throw new NotPermittedError(
      `${user ?? 'this user'} may neither watch nor get ${resourceName(ref)} '${ref.name}' in namespace ${ref.namespace}; ` +
        `apply this with kubectl apply -f -:\n${roleFor(ref, user)}`,
      { cause: error },
    );
  }
}

function versionOf(found: KubeObject | 'absent'): string | undefined {
  return found === 'absent' ? 'absent' : found.metadata.resourceVersion;
}
