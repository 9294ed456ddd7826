import { unlessAborted } from '../../core/abort.ts';
import { isConflict, readLease, statusOf, writeLease } from './ask.ts';
import { holderIn, type LeaseObject } from './object.ts';
import { placeOfLease, type LeaseSite } from './site.ts';

/** Makes the next version of a Lease from the last one. */
export type Change = (lease: LeaseObject, now: Date) => LeaseObject;

/** The Lease is another's, or gone: nothing more is written. Its message says who has it. */
export class NotOursError extends Error {
  override name = 'NotOursError';
}

/** Writes to a Lease as long as it is ours, one write after the other: each stands on the version of the one before. */
export class LeaseWriter {
  readonly #site: LeaseSite;
  readonly #holder: string;
  #lease: LeaseObject;
  #confirmedAt: number;
  #notOurs: NotOursError | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param takenAt by performance.now(): when the write was sent that made it ours */
  constructor(site: LeaseSite, holder: string, lease: LeaseObject, takenAt: number) {
    this.#site = site;
    this.#holder = holder;
    this.#lease = lease;
    this.#confirmedAt = takenAt;
  }

  /** By performance.now(): when the last write was sent that the API server has confirmed; others may have seen it then. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /**
   * Rejects with NotOursError, with the reason why it may or may not have been written within that time, or with the signal's:
   * then too it may have been.
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
      // Another client has changed it, or we did by a write whose answer was lost: that alone is no loss.
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
