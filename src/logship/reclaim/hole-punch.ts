/** A range of bytes in a file; the end is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Why a range was not reclaimed. `isHere` means for this file only; otherwise no file can be reclaimed. */
export interface Refusal {
  readonly isHere: boolean;
  readonly reason: string;
}

/** Reclaims a range of an open file. Undefined on success. Rejects only with the signal's reason. */
export type Punch = (fd: number, range: Range, signal: AbortSignal) => Promise<Refusal | undefined>;
