import { defined } from '../core/defined.ts';
import { ConfigError, KollaError, messageOf } from '../core/errors.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { ApiError, ForbiddenError, Refusal } from './api-error.ts';
import { METADATA, type Api } from './api.ts';
import { listAll } from './list.ts';
import { keyOf, objectPath } from './path.ts';
import { placeOf, resourceName, roleFor, userIn } from './role.ts';
import type { Timing } from './timing.ts';
import type {
  KubeObject,
  ObjectRef,
  Observation,
  SetObservation,
  SetRef,
  WatchOptions,
  WayObservation,
} from './types.ts';

/**
 * Polls an object with only the permission to get it, and reports changes like a watch. Ends when a watch should be
 * retried. Throws ForbiddenError with the Role to apply if get is denied too.
 */
export async function* pollObject<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  { signal, metadataOnly }: { readonly signal: AbortSignal; readonly metadataOnly: boolean },
  timing: Timing,
): AsyncGenerator<Observation<T>> {
  let known: T | 'absent' | undefined;
  const ask = () => getOne<T>(api, ref, metadataOnly, signal);
  for await (const answer of answers(ask, ref, api, signal, timing)) {
    if (answer.kind !== 'answer') {
      yield answer;
      continue;
    }
    const [before, found] = [known, answer.value];
    known = found;
    if (found === 'absent') {
      if (before !== 'absent') yield before === undefined ? { kind: 'absent' } : { kind: 'deleted', object: before };
    } else if (before === undefined || versionOf(found) !== versionOf(before)) {
      yield { kind: 'object', object: found };
    }
  }
}

/** Polls a set with the permission to list it, or to get each object of `ref.names`. */
export async function* pollSet<T extends KubeObject>(
  api: Api,
  ref: SetRef,
  { signal, warn, metadataOnly = false, onMoved }: WatchOptions,
  timing: Timing,
): AsyncGenerator<SetObservation<T>> {
  let mayList = true;
  const refusal = new Refusal(api, timing);
  const { names } = ref;
  const ask = async (): Promise<readonly T[]> => {
    onMoved?.();
    if (mayList) {
      try {
        const { items } = await listAll<T>(api, { ref, metadataOnly }, signal);
        return names === undefined ? items : items.filter(({ metadata }) => names.includes(metadata.name));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 403) throw error;
        if (names === undefined || ref.namespace === undefined || !(await refusal.confirmForbidden(signal)))
          throw error;
        mayList = false;
        warn(
          `${userIn(error.message) ?? 'this user'} may not list ${resourceName(ref)} ${placeOf(ref)}: ` +
            'reading each by name',
        );
      }
    }
    const namespace = ref.namespace ?? '';
    const each = (names ?? []).map((name) => getOne<T>(api, { ...ref, namespace, name }, metadataOnly, signal));
    return (await Promise.all(each)).flatMap((found) => (found === 'absent' ? [] : [found as T]));
  };
  let known: string | undefined;
  for await (const answer of answers(ask, ref, api, signal, timing)) {
    if (answer.kind !== 'answer') {
      yield answer;
      continue;
    }
    const objects = new Map(answer.value.map((object) => [keyOf(ref, object), object]));
    const versions = [...objects].map(([key, object]) => `${key} ${versionOf(object)}`).join('\n');
    if (versions === known) continue;
    known = versions;
    yield { kind: 'set', objects };
  }
}

type Answer<R> = { readonly kind: 'answer'; readonly value: R } | WayObservation;

/** Polls every pollMs, with a quarter of jitter, for rewatchMs. Trouble is reported and retried. */
async function* answers<R>(
  ask: () => Promise<R>,
  ref: ObjectRef | SetRef,
  api: Api,
  signal: AbortSignal,
  timing: Timing,
): AsyncGenerator<Answer<R>> {
  const until = performance.now() + timing.rewatchMs;
  const refusal = new Refusal(api, timing);
  let isMeant = false;
  let attempt = 0;
  while (attempt > 0 || performance.now() < until) {
    try {
      const value = await ask();
      if (attempt > 0) yield { kind: 'connected' };
      attempt = 0;
      isMeant = false;
      refusal.forget();
      yield { kind: 'answer', value };
      await pause(timing.pollMs * (0.75 + Math.random() / 2), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError && !(error instanceof ConfigError)) throw error;
      const known = error instanceof ApiError ? error : undefined;
      if (known === undefined) api.forgetConnections();
      if (known?.status === 403) {
        // Requested once more after isMeant() was true, because the server may have become ready after the denial.
        if (isMeant) throw notPermitted(ref, known);
        isMeant = await refusal.confirmForbidden(signal);
      }
      if (!isMeant) yield { kind: 'trouble', reason: messageOf(error), ...defined({ status: known?.status }) };
      await pause((known?.retryAfterMs ?? 0) + backoffMs(attempt++, timing.backoff), signal);
    }
  }
}

async function getOne<T extends KubeObject>(
  api: Api,
  ref: ObjectRef,
  metadataOnly: boolean,
  signal: AbortSignal,
): Promise<T | 'absent'> {
  const path = objectPath(ref);
  try {
    return await api.ask<T>(metadataOnly ? { path, accept: METADATA } : { path }, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return 'absent';
    throw error;
  }
}

function notPermitted(ref: ObjectRef | SetRef, error: ApiError): ForbiddenError {
  const user = userIn(error.message);
  const what = 'name' in ref ? `${resourceName(ref)} '${ref.name}'` : resourceName(ref);
  return new ForbiddenError(
    `${user ?? 'this user'} may neither watch nor ${'name' in ref ? 'get' : 'list'} ${what} ${placeOf(ref)}`,
    `apply this with kubectl apply -f -:\n${roleFor(ref, user)}`,
    { cause: error },
  );
}

function versionOf(found: KubeObject | 'absent'): string | undefined {
  return found === 'absent' ? 'absent' : found.metadata.resourceVersion;
}
