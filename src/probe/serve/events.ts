import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { unlessAborted } from '../../core/abort.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { eventBody, eventsPath, type PodEvent } from '../../kube/event.ts';
import type { KubeClient } from '../../kube/types.ts';
import { changeText } from './announce.ts';
import type { Change } from './resident-check.ts';

/** The Pod that Events are about. */
export interface EventTarget {
  readonly kube: () => Promise<KubeClient>;
  readonly podName: string;
  readonly podUid: string;
}

/** Leaves Events, in its own time. Disposed of, it gives what is under way a moment more. */
export interface Events extends AsyncDisposable {
  tell(change: Change): void;
}

/** As client-go bounds what one source says of one object: so many at once, and one more each five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** What waits for an API server that is away. */
const QUEUE = 25;
const TRIES = 3;
const ANSWER_MS = 10_000;
const BACKOFF = { minMs: 500, maxMs: 5000 };
const LAST_WORD_MS = 300;

const CONTROLLER = 'kolla-probe';

/**
 * An Event on our own Pod for each check that becomes unhealthy, and for each that recovers. Nobody waits for it. A refusal
 * is said once, and then there are none; an API server that does not answer is said once until it does again.
 */
export function leaveEvents({ kube, podName, podUid }: EventTarget, log: Log): Events {
  const stop = new AbortController();
  const queue: Change[] = [];
  let isRefused = false;
  let isAway = false;
  let tokens = BURST;
  let refilled = performance.now();
  let working: Promise<void> | undefined;

  async function create(change: Change): Promise<void> {
    const late = AbortSignal.any([stop.signal, AbortSignal.timeout(ANSWER_MS)]);
    const client = await unlessAborted(kube(), late);
    const pod = { namespace: client.namespace, name: podName, uid: podUid };
    const body = eventBody(pod, eventOf(change), CONTROLLER);
    await unlessAborted(client.request('POST', eventsPath(client.namespace), body, { signal: late }), late);
    isAway = false;
  }

  async function leave(change: Change): Promise<void> {
    for (let attempt = 0; attempt < TRIES && !isRefused; attempt++) {
      try {
        return await create(change);
      } catch (error) {
        if (stop.signal.aborted) return;
        isRefused = hasStatus(error, [400, 401, 403, 404, 422]);
        const fix = hasStatus(error, [403]) ? '; kolla-probe rbac prints the Role' : '';
        if (isRefused) return log.warn(`no Events on Pod ${podName}: ${messageOf(error)}${fix}`);
        if (!isAway) log.warn(`an Event on Pod ${podName} could not be left: ${messageOf(error)}`);
        isAway = true;
        await pause(backoffMs(attempt, BACKOFF), stop.signal).catch(() => {});
      }
    }
  }

  async function work(): Promise<void> {
    for (let change = queue.shift(); change !== undefined && !stop.signal.aborted; change = queue.shift())
      await leave(change);
    working = undefined;
  }

  function mayTell(): boolean {
    const more = Math.floor((performance.now() - refilled) / REFILL_MS);
    refilled += more * REFILL_MS;
    tokens = Math.min(BURST, tokens + more);
    if (tokens === 0) return false;
    tokens--;
    return true;
  }

  return {
    tell(change) {
      // That a check is well at the start is no news to who looks at Events.
      if (isRefused || (change.from === 'unknown' && change.part.state === 'healthy')) return;
      if (queue.length >= QUEUE || !mayTell()) return log.debug('too many Events: one is left out');
      queue.push(change);
      working ??= work();
    },
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => stop.abort(new Error('the end')), LAST_WORD_MS);
      await working;
      clearTimeout(late);
      stop.abort(new Error('the end'));
    },
  };
}

function eventOf(change: Change): PodEvent {
  const isWell = change.part.state === 'healthy';
  return {
    type: isWell ? 'Normal' : 'Warning',
    reason: isWell ? 'CheckHealthy' : 'CheckUnhealthy',
    action: 'Checking',
    note: changeText(change),
  };
}

/** Asking again would not help. */
function hasStatus(error: unknown, statuses: readonly number[]): boolean {
  const { status } = error as { readonly status?: unknown };
  return typeof status === 'number' && statuses.includes(status);
}
