import type { Release } from '../helm/release.ts';

/**
 * Ages of the newest revisions, by service: as the clock had it when this process saw the revision first, and from then on
 * by a clock that is never set. Set back by an hour, the system's clock would stop all retries for so long.
 */
export class Ages {
  readonly #seen = new Map<string, { readonly id: string; readonly ageMs: number; readonly at: number }>();

  ageMs(name: string, { revision, updated }: Pick<Release, 'revision' | 'updated'>, now: Date): number {
    const id = `${revision} ${updated.getTime()}`;
    let seen = this.#seen.get(name);
    if (seen?.id !== id) {
      // A record without a valid time is as old as our knowledge of it.
      seen = { id, ageMs: Math.max(0, now.getTime() - updated.getTime() || 0), at: performance.now() };
      this.#seen.set(name, seen);
    }
    return seen.ageMs + performance.now() - seen.at;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }
}
