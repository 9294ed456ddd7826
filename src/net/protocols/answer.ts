/** What a server's response means for a check. */
export interface Answer {
  /** Whether it is the expected server and accepts clients. */
  readonly isGood: boolean;
  /** A short description: `version 1.6.18`, or the problem. */
  readonly says: string;
}

export function good(says: string): Answer {
  return { isGood: true, says };
}

export function bad(says: string): Answer {
  return { isGood: false, says };
}

/** Called with the step that is awaited next, so that a timeout can name it. */
export type Tell = (awaited: string) => void;
