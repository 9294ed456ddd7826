/** Where doctor looks, so that a test can show it another machine. */
export interface Machine {
  /** '' for this one; else a directory that stands for `/`. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly signal: AbortSignal;
}

/** One thing that helpers need. */
export interface Finding {
  readonly what: string;
  /** `note`: they work without, and lack something that the detail says. */
  readonly state: 'ok' | 'note' | 'lacks';
  /** What was seen. Never the content of a secret. */
  readonly detail: string;
  /** What to change, in the manifest where that is the place. */
  readonly fix?: string;
  readonly helpers: readonly string[];
}

/** Looks at one thing, or at a few that belong together. */
export type Check = (machine: Machine) => Promise<Finding[]>;

/** How long a question to the network may take. */
export const ASK_MS = 2000;
