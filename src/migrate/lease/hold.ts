import { formatDuration } from '../../core/duration.ts';
import { UnavailableError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import { renewEveryMs } from '../fence/renewal.ts';
import { isHopeless } from './ask.ts';
import { released, renewed, transitionsIn, withNews, type LeaseObject, type News } from './object.ts';
import { placeOfLease, type LeaseSite } from './site.ts';
import { LeaseWriter, NotOursError, type Change } from './writer.ts';

export type LeaseNews = Omit<News, 'isLastBeforeRollout' | 'isOneWay'>;

/** A Lease that we hold. It is renewed until it is released. */
export interface HeldLease extends AsyncDisposable {
  /** Incremented each time the Lease is taken. */
  readonly transitions: number;
  /** The holder whose Lease had expired when we took it; '' if it was free. */
  readonly predecessor: string;
  /** Aborted when the Lease is, or may be, no longer ours. The reason is the error with its cause. */
  readonly lost: AbortSignal;
  /** When the last write that the API server confirmed was sent, in terms of performance.now(). */
  confirmedAt(): number;
  /**
   * Publishes `news` in the annotations. Retries until it is done, the Lease is lost or the signal is aborted.
   * @returns why the API server will never accept `news`, for example because of too many annotations; undefined if it
   * has accepted it
   */
  publish(news: LeaseNews, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Releases the Lease, with `news` in its annotations. Writes nothing if the Lease has another holder.
   * @returns whether that succeeded in time. If there is nothing to publish, it is also true when the Lease has another
   * holder
   */
  end(news: LeaseNews | undefined, withinMs: number): Promise<boolean>;
}

interface Taken {
  readonly lease: LeaseObject;
  /** When the write that took the Lease was sent, in terms of performance.now(). */
  readonly takenAt: number;
  readonly predecessor: string;
}

interface HoldOptions {
  readonly holder: string;
  /** The Lease counts as lost if the API server has not confirmed it for this long. */
  readonly lossMs: number;
  readonly log: Log;
}

/**
 * Number of response timeouts within lossMs, so that a write without a response is retried before the Lease counts as
 * lost.
 */
const ANSWERS_PER_LOSS = 4;
const ANSWER_MIN_MS = 1000;
const RETRY_MS = 500;
/**
 * Maximum time to release the Lease when we exit with an error, so that the next holder need not wait until it expires.
 */
const GIVE_BACK_MS = 3000;

/** Starts renewing a Lease that was just taken. */
export function holdLease(site: LeaseSite, taken: Taken, options: HoldOptions): HeldLease {
  return new Held(site, taken, options);
}

class Held implements HeldLease {
  readonly transitions: number;
  readonly predecessor: string;
  readonly #site: LeaseSite;
  readonly #writer: LeaseWriter;
  readonly #lossMs: number;
  readonly #log: Log;
  readonly #over = new AbortController();
  readonly #lost = new AbortController();
  readonly #renewing: Promise<void>;
  #ended: Promise<boolean> | undefined;

  constructor(site: LeaseSite, { lease, takenAt, predecessor }: Taken, { holder, lossMs, log }: HoldOptions) {
    this.transitions = transitionsIn(lease);
    this.predecessor = predecessor;
    this.#site = site;
    this.#writer = new LeaseWriter(site, holder, lease, takenAt);
    this.#lossMs = lossMs;
    this.#log = log;
    this.#renewing = this.#renew().catch((error: unknown) => {
      if (!this.#over.signal.aborted) this.#lose(messageOf(error));
    });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  confirmedAt(): number {
    return this.#writer.confirmedAt;
  }

  async publish(news: LeaseNews, signal: AbortSignal): Promise<string | undefined> {
    const stop = AbortSignal.any([signal, this.lost]);
    while (!stop.aborted) {
      try {
        await this.#write((lease, now) => renewed(this.#withNews(lease, news, now), now), stop);
        return undefined;
      } catch (error) {
        if (this.lost.aborted) return undefined;
        const why = `cannot publish '${news.state}' on ${placeOfLease(this.#site)}: ${messageOf(error)}`;
        if (isHopeless(error)) return why;
        if (!stop.aborted) this.#log.warn(why);
      }
      await pause(RETRY_MS, stop).catch(() => {});
    }
    return undefined;
  }

  end(news: LeaseNews | undefined, withinMs: number): Promise<boolean> {
    return (this.#ended ??= this.#end(news, withinMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(undefined, GIVE_BACK_MS);
  }

  async #end(news: LeaseNews | undefined, withinMs: number): Promise<boolean> {
    this.#over.abort();
    await this.#renewing;
    const never = new AbortController().signal;
    const until = performance.now() + withinMs;
    const change: Change = (lease, now) => released(news === undefined ? lease : this.#withNews(lease, news, now), now);
    for (;;) {
      try {
        await this.#writer.write(change, until - performance.now(), never);
        return true;
      } catch (error) {
        // A Lease with another holder need not be released.
        if (error instanceof NotOursError && news === undefined) return true;
        // Released without `news`, so that the next holder need not wait.
        if (isHopeless(error) && news !== undefined)
          await this.#writer.write(released, GIVE_BACK_MS, never).catch(() => {});
        if (error instanceof NotOursError || isHopeless(error) || performance.now() + RETRY_MS > until) {
          const what = news === undefined ? 'release it' : `publish '${news.state}'`;
          this.#log.warn(`cannot ${what} on ${placeOfLease(this.#site)}: ${messageOf(error)}`);
          return false;
        }
        await pause(RETRY_MS, never);
      }
    }
  }

  /** Resolves when the Lease is lost, and rejects when renewing is stopped. */
  async #renew(): Promise<void> {
    let last = 'no response';
    for (;;) {
      await pause(Math.min(renewEveryMs(this.#lossMs), Math.max(0, this.#leftMs())), this.#over.signal);
      if (this.#leftMs() <= 0) {
        const [place, loss] = [placeOfLease(this.#site), formatDuration(this.#lossMs)];
        return this.#lose(`the API server has not confirmed ${place} for ${loss}: ${last}`);
      }
      try {
        await this.#write(renewed, this.#over.signal);
      } catch (error) {
        if (this.lost.aborted || this.#over.signal.aborted) return;
        last = messageOf(error);
        this.#log.warn(`cannot renew ${placeOfLease(this.#site)}: ${last}`);
      }
    }
  }

  async #write(change: Change, signal: AbortSignal): Promise<void> {
    const answerMs = Math.max(ANSWER_MIN_MS, this.#lossMs / ANSWERS_PER_LOSS);
    try {
      await this.#writer.write(change, Math.min(this.#leftMs(), answerMs), signal);
    } catch (error) {
      if (error instanceof NotOursError) this.#lose(error.message);
      throw error;
    }
  }

  #leftMs(): number {
    return this.#writer.confirmedAt + this.#lossMs - performance.now();
  }

  #lose(why: string): void {
    this.#lost.abort(new UnavailableError(`the lock was lost: ${why}`));
  }

  #withNews(lease: LeaseObject, news: LeaseNews, now: Date): LeaseObject {
    const { isLastBeforeRollout, isOneWay } = this.#site;
    return withNews(lease, { ...news, isLastBeforeRollout, isOneWay }, now);
  }
}
