import { unlessAborted } from '../../core/abort.ts';
import { isConflict, readLease, statusOf, writeLease } from './ask.ts';
import { holderIn, type LeaseObject } from './object.ts';
import { placeOfLease, type LeaseSite } from './site.ts';

/** Derives the next version of a Lease from the previous one. */
export type Change = (lease: LeaseObject, now: Date) => LeaseObject;

/** Another process holds the Lease, or it was deleted, so nothing more is written. The message names the holder. */
export class NotOursError extends Error {
  override name = 'NotOursError';
}

/** Serializes our writes to a Lease while it is ours. Each is based on the version that the previous one returned. */
export class LeaseWriter {
  readonly #site: LeaseSite;
  readonly #holder: string;
  #lease: LeaseObject;
  #confirmedAt: number;
  #notOurs: NotOursError | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param takenAt when the write that took the Lease was sent, in terms of performance.now() */
  constructor(site: LeaseSite, holder: string, lease: LeaseObject, takenAt: number) {
    this.#site = site;
    this.#holder = holder;
    this.#lease = lease;
    this.#confirmedAt = takenAt;
  }

  /**
   * When the last write that the API server confirmed was sent, in terms of performance.now(). Other clients may have
   * seen the write since then.
   */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /**
   * Rejects with NotOursError, with the error of the request, or with the signal's reason. Without a response within
   * `withinMs`, and after the signal, the write may have succeeded all the same.
   */
  async write(change: Change, withinMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + withinMs;
    const done = this.#writing.then(() => this.#write(change, until, signal));
    this.#writing = done.catch(() => {});
    await unlessAborted(done, signal);
  }

  async #write(change: Change, until: number, signal: AbortSignal): Promise<void> {
    const within = () => ({ withinMs: until - performance.now(), signal });
    for (;;) {
      signal.throwIfAborted();
      if (this.#notOurs !== undefined) throw this.#notOurs;
      const askedAt = performance.now();
      try {
        this.#lease = await writeLease(this.#site, change(this.#lease, new Date()), within());
        this.#confirmedAt = askedAt;
        return;
      } catch (error) {
        if (!isConflict(error) && statusOf(error) !== 404) throw error;
      }
      // The Lease was changed by another client, or by one of our writes whose response was lost. That alone does not
      // mean that the Lease is lost.
      const found = await readLease(this.#site, within());
      if (found === undefined || holderIn(found) !== this.#holder) {
        this.#notOurs = new NotOursError(whyNotOurs(this.#site, found));
        throw this.#notOurs;
      }
      this.#lease = found;
    }
  }
}

function whyNotOurs(site: LeaseSite, found: LeaseObject | undefined): string {
  const place = placeOfLease(site);
  if (found === undefined) return `${place} was deleted`;
  const holder = holderIn(found);
  return holder === '' ? `the holder of ${place} was removed` : `${holder} has taken ${place}`;
}
