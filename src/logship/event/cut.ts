/**
 * An event that was ended by the clock and not by the lines that follow. Reading it again would not end it there, and its
 * later lines would be taken into a document that the server has already without them. So the checkpoint holds it before
 * the first document after it is sent, and a second reading ends the event at the same place.
 */
export interface Cut {
  /** Where the event begins in its generation. */
  readonly start: number;
  /** No line of its generation from here on belongs to it. */
  readonly at: number;
  /** Where a rotation came between its lines: the next generation's first bytes, up to `to`, belong to it. */
  readonly onto?: Onto;
}

/** Grows while lines join. */
export interface Onto {
  /** The next generation's id. */
  readonly generation: string;
  to: number;
}
