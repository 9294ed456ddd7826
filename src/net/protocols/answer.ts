/** What a server's words mean, for whoever asks whether it is there. */
export interface Answer {
  /** Whether it is what it should be, and serves us. */
  readonly isGood: boolean;
  /** In a few words: `version 1.6.18`, or what is wrong. */
  readonly says: string;
}

export function good(says: string): Answer {
  return { isGood: true, says };
}

export function bad(says: string): Answer {
  return { isGood: false, says };
}

/** Told what is waited for next, so that a deadline can say what did not come. */
export type Tell = (awaited: string) => void;
