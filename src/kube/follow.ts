import { ConfigError, KollaError, messageOf } from '../core/errors.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { ApiError, Refusal } from './api-error.ts';
import { METADATA, type Api } from './api.ts';
import { TooManyWatches } from './client.ts';
import { jsonLines, readEvents, type WatchEvent } from './watch-event.ts';
import { listAll } from './list.ts';
import { collectionPath } from './path.ts';
import type { Timing } from './timing.ts';
import { defined } from '../core/defined.ts';
import type { KubeObject, SetRef, WayObservation } from './types.ts';

/** The watched object or set. */
export interface Subject {
  readonly ref: SetRef;
  readonly metadataOnly: boolean;
  /**
   * How to interpret silence at the start of a watch, before a bookmark ends the initial events: `absent` for one
   * object (whose first event is all there is), or `list`, to list all.
   */
  readonly whenQuiet: 'absent' | 'list';
  /** See WatchOptions. */
  readonly onMoved?: (() => void) | undefined;
}

export type Step<T extends KubeObject> =
  /** A watch without a version: events report existing objects, up to a bookmark. */
  | { readonly kind: 'begin' }
  /** Events that were received together. */
  | { readonly kind: 'events'; readonly events: readonly WatchEvent<T>[] }
  /** Follows `begin` if whenQuiet is `absent` and there was no event. */
  | { readonly kind: 'quiet' }
  /** All objects that exist. */
  | { readonly kind: 'all'; readonly objects: readonly T[] }
  | WayObservation;

/**
 * The watch loop. Without a resourceVersion the server first sends existing objects, so no list is needed if the server
 * marks their end. Reconnects after any failure, from the last version; on 410, and after a second silence in a row,
 * from the start. Ends only if watching is impossible, with the reason: the watch (or that list) is denied, the resource
 * has no such verb, or there are too many watches. Throws the signal's reason.
 */
export async function* follow<T extends KubeObject>(
  api: Api,
  subject: Subject,
  signal: AbortSignal,
  timing: Timing,
): AsyncGenerator<Step<T>, ApiError> {
  let version: string | undefined;
  let attempt = 0;
  let isTroubled = false;
  let silences = 0;
  const refusal = new Refusal(api, timing);
  for (;;) {
    subject.onMoved?.();
    try {
      if (version === undefined && subject.whenQuiet === 'list' && api.mustList) {
        const all = await listAll<T>(api, subject, signal);
        yield { kind: 'all', objects: all.items };
        version = all.version;
      }
      let mustList = false;
      let isKnown = version !== undefined;
      for await (const step of connection<T>(api, subject, version, signal, timing)) {
        subject.onMoved?.();
        if (step.kind === 'begin') {
          if (isTroubled) yield { kind: 'connected' };
          isTroubled = false;
          refusal.forget();
          if (!isKnown) yield step;
          continue;
        }
        attempt = 0;
        if (step.kind === 'quiet' && subject.whenQuiet === 'list') {
          mustList = api.mustList = true;
          break;
        }
        yield step;
        if (step.kind !== 'events') continue;
        silences = 0;
        // Initial events are not ordered by version: resuming from one of them would miss others.
        isKnown ||= endsBeginning(subject, step.events);
        // Set after the events were handled, so that a failing handler does not lose them.
        if (isKnown) version = step.events.at(-1)?.object.metadata.resourceVersion ?? version;
      }
      // The server has ended the watch: after timeoutSeconds, or during a rolling restart.
      if (!mustList) await pause(backoffMs(attempt++, timing.backoff), signal);
    } catch (error) {
      signal.throwIfAborted();
      // Credentials were valid before, so a file that is being replaced is no reason to give up.
      if (error instanceof KollaError && !(error instanceof ConfigError)) throw error;
      if (error instanceof Silence) {
        // Not necessarily a failure: without writes there are no bookmarks. A dead server shows on the next attempt.
        api.forgetConnections();
        // If etcd was restored, the server sends nothing until it reaches our version again.
        if (++silences % 2 === 0) version = undefined;
        continue;
      }
      const known = error instanceof ApiError ? error : undefined;
      if (known instanceof TooManyWatches || known?.status === 405) return known;
      if (known?.status === 403 && (await refusal.confirmForbidden(signal))) return known;
      if (known === undefined) api.forgetConnections();
      if (known?.status === 410) {
        // The server has compacted our version, so the watch starts over.
        version = undefined;
      } else {
        isTroubled = true;
        yield { kind: 'trouble', reason: messageOf(error), ...defined({ status: known?.status }) };
      }
      await pause((known?.retryAfterMs ?? 0) + backoffMs(attempt++, timing.backoff), signal);
    }
  }
}

/**
 * Whether these events end the initial ones. Any bookmark does, because it follows the existing objects in the same
 * queue.
 */
export function endsBeginning<T extends KubeObject>(
  { whenQuiet }: Pick<Subject, 'whenQuiet'>,
  events: readonly WatchEvent<T>[],
): boolean {
  return whenQuiet === 'absent' || events.some(({ type }) => type === 'BOOKMARK');
}

/** A set that changes all the time is never silent: it is listed after this many times `absentMs`. */
const BUSY = 4;

/** Nothing was received for longer than the interval of bookmarks. */
class Silence extends Error {}

/** One connection. Returns when the server ends it, and throws if it fails. */
async function* connection<T extends KubeObject>(
  api: Api,
  subject: Subject,
  version: string | undefined,
  signal: AbortSignal,
  timing: Timing,
): AsyncGenerator<Extract<Step<T>, { kind: 'begin' | 'events' | 'quiet' }>> {
  const path = watchPath(subject.ref, version, timing);
  const response = await api.open(subject.metadataOnly ? { path, accept: METADATA } : { path }, signal);
  const silence = setTimeout(() => response.destroy(new Silence()), timing.idleMs);
  try {
    yield { kind: 'begin' };
    const batches = jsonLines(response, () => silence.refresh());
    let isKnown = version !== undefined;
    const until = performance.now() + BUSY * timing.absentMs;
    for (;;) {
      const next = batches.next();
      const patienceMs = Math.max(0, Math.min(timing.absentMs, until - performance.now()));
      if (!isKnown && !(await settlesWithin(next, patienceMs))) {
        isKnown = true;
        yield { kind: 'quiet' };
      }
      const { done, value } = await next;
      if (done) return;
      const { events, error } = readEvents<T>(value);
      isKnown ||= endsBeginning(subject, events);
      if (events.length > 0) yield { kind: 'events', events };
      if (error !== undefined) throw error;
    }
  } finally {
    clearTimeout(silence);
    response.destroy();
  }
}

function watchPath(ref: SetRef, version: string | undefined, { serverMinS, serverMaxS }: Timing): string {
  return collectionPath(ref, {
    watch: true,
    allowWatchBookmarks: true,
    fieldSelector: ref.fieldSelector,
    labelSelector: ref.labelSelector,
    timeoutSeconds: Math.round(serverMinS + Math.random() * (serverMaxS - serverMinS)),
    resourceVersion: version,
  });
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
