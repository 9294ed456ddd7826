import type { Document } from '../document.ts';

/** What became of one document. `already` is one that an earlier try or run had brought in. */
export type Verdict = { readonly is: 'in' | 'already' } | { readonly is: 'again' | 'refused'; readonly reason: string };

/** What became of a request. */
export type Answer =
  | { readonly is: 'all in' }
  /** One verdict a document, in their order. */
  | { readonly is: 'each'; readonly verdicts: readonly Verdict[] }
  /** Nothing is known to be in: all of it again, later. */
  | { readonly is: 'held'; readonly reason: string }
  | { readonly is: 'too large' };

/** Where documents go. A new destination is one file more beside this one. */
export interface Sink extends AsyncDisposable {
  /** For messages: `elasticsearch at http://es:9200`. Without credentials. */
  readonly name: string;
  /**
   * Tries once; trying again is the caller's. Rejects only for what no repetition can mend, and for the signal.
   */
  send(documents: readonly Document[], signal: AbortSignal): Promise<Answer>;
}
