import { formatDuration } from '../../cli/duration.ts';
import { UnavailableError, messageOf } from '../../cli/errors.ts';
import type { Log } from '../../cli/log.ts';
import { pause } from '../../platform/backoff.ts';
import { renewEveryMs } from '../renewal.ts';
import { isConflict, readLease, statusOf, writeLease } from './ask.ts';
import { holderIn, released, renewed, told, transitionsIn, type LeaseObject, type News } from './object.ts';
import { placeOfLease, type LeaseSite } from './site.ts';

export type Told = Omit<News, 'isLastBeforeRollout'>;

/** A Lease that is ours, renewed until it is given back. */
export interface HeldLease extends AsyncDisposable {
  /** Grows by every take of this Lease. */
  readonly transitions: number;
  /** Whose lease had passed when we took it; '' when nobody held it. */
  readonly predecessor: string;
  /** Aborted when it is no longer ours, or may not be; its reason is the error that says why. */
  readonly lost: AbortSignal;
  /** By performance.now(): when the last write was sent that the API server has confirmed. */
  confirmedAt(): number;
  /** Writes it into the annotations. Goes on trying until the Lease is lost, and then throws what says so. */
  publish(news: Told): Promise<void>;
  /**
   * Gives the Lease back, with this in its annotations. Nothing is written when somebody else has it.
   * @returns whether it was written within that time
   */
  end(news: Told | undefined, withinMs: number): Promise<boolean>;
}

export interface Taken {
  readonly lease: LeaseObject;
  /** By performance.now(): when the write was sent that made it ours. */
  readonly takenAt: number;
  readonly predecessor: string;
}

export interface HoldOptions {
  readonly holder: string;
  readonly lossMs: number;
  readonly log: Log;
}

/** A renewal that finds no answer is given up in time for another one. */
const ANSWER_MIN_MS = 1000;
const ANSWERS_PER_LOSS = 4;
const RETRY_MS = 500;
/** To give it back when we end by an error: the next one need not wait for the lease to pass. */
const GIVE_BACK_MS = 3000;

/** It is another's, or gone: no more is written. */
class NotOursError extends Error {}

type Change = (lease: LeaseObject, now: Date) => LeaseObject;

/** Starts to renew. From the moment that a write was sent, not answered: others may have seen it as early as that. */
export function holdLease(site: LeaseSite, taken: Taken, { holder, lossMs, log }: HoldOptions): HeldLease {
  const over = new AbortController();
  const lost = new AbortController();
  let { lease, takenAt: confirmedAt } = taken;
  let isOurs = true;
  let writing: Promise<unknown> = Promise.resolve();
  const leftMs = () => confirmedAt + lossMs - performance.now();

  const loseIt = (why: string) => lost.abort(new UnavailableError(`the lock was lost: ${why}`));

  /** Renewals and news are written one after the other: each stands on the version that the one before has made. */
  const write = async (change: Change, withinMs: number): Promise<void> => {
    const done = writing.then(() => writeNow(change, AbortSignal.timeout(Math.max(1, Math.ceil(withinMs)))));
    writing = done.catch(() => {});
    await done;
  };

  const writeNow = async (change: Change, signal: AbortSignal): Promise<void> => {
    for (;;) {
      if (!isOurs) throw new NotOursError();
      const askedAt = performance.now();
      try {
        lease = await writeLease(site, change(lease, new Date()), signal);
        confirmedAt = askedAt;
        return;
      } catch (error) {
        if (!isConflict(error) && statusOf(error) !== 404) throw error;
      }
      // Somebody has changed it, as may we by a write whose answer was lost: that alone is no loss.
      const found = await readLease(site, signal);
      if (found !== undefined && holderIn(found) === holder) {
        lease = found;
        continue;
      }
      isOurs = false;
      loseIt(whyNotOurs(site, found));
      throw new NotOursError();
    }
  };

  const renew = async (): Promise<void> => {
    let last = 'no answer';
    for (;;) {
      await pause(Math.min(renewEveryMs(lossMs), Math.max(0, leftMs())), over.signal);
      if (leftMs() <= 0) {
        loseIt(`the API server has not confirmed ${placeOfLease(site)} for ${formatDuration(lossMs)}: ${last}`);
        return;
      }
      try {
        await write(renewed, Math.min(leftMs(), Math.max(ANSWER_MIN_MS, lossMs / ANSWERS_PER_LOSS)));
      } catch (error) {
        if (error instanceof NotOursError) return;
        last = messageOf(error);
        log.warn(`cannot renew ${placeOfLease(site)}: ${last}`);
      }
    }
  };
  const renewing = renew().catch((error: unknown) => {
    if (!over.signal.aborted) loseIt(messageOf(error));
  });

  let ended: Promise<boolean> | undefined;
  const end = async (news: Told | undefined, withinMs: number): Promise<boolean> => {
    over.abort();
    await renewing;
    const until = performance.now() + withinMs;
    const change: Change = (now, time) => released(news === undefined ? now : told(now, whole(site, news), time), time);
    for (;;) {
      try {
        await write(change, until - performance.now());
        return true;
      } catch (error) {
        const what = news === undefined ? 'give it back' : `publish '${news.state}'`;
        if (error instanceof NotOursError || performance.now() + RETRY_MS > until) {
          const why = error instanceof NotOursError ? messageOf(lost.signal.reason) : messageOf(error);
          log.warn(`cannot ${what} on ${placeOfLease(site)}: ${why}`);
          return false;
        }
        await pause(RETRY_MS, new AbortController().signal);
      }
    }
  };

  return {
    transitions: transitionsIn(lease),
    predecessor: taken.predecessor,
    lost: lost.signal,
    confirmedAt: () => confirmedAt,
    async publish(news) {
      for (;;) {
        lost.signal.throwIfAborted();
        try {
          await write((now, time) => renewed(told(now, whole(site, news), time), time), leftMs());
          return;
        } catch (error) {
          lost.signal.throwIfAborted();
          log.warn(`cannot publish '${news.state}' on ${placeOfLease(site)}: ${messageOf(error)}`);
          await pause(RETRY_MS, lost.signal);
        }
      }
    },
    end: (news, withinMs) => (ended ??= end(news, withinMs)),
    async [Symbol.asyncDispose]() {
      await (ended ??= end(undefined, GIVE_BACK_MS));
    },
  };
}

function whole({ isLastBeforeRollout }: LeaseSite, news: Told): News {
  return { ...news, isLastBeforeRollout };
}

function whyNotOurs(site: LeaseSite, found: LeaseObject | undefined): string {
  if (found === undefined) return `${placeOfLease(site)} was deleted`;
  const holder = holderIn(found);
  return holder === ''
    ? `the holder of ${placeOfLease(site)} was removed`
    : `${holder} has taken ${placeOfLease(site)}`;
}
