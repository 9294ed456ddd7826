/** The examined machine, replaceable in tests. */
export interface Machine {
  /** '' for this one; else a directory instead of `/`. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly signal: AbortSignal;
}

/** One requirement of helpers. */
export interface Finding {
  readonly what: string;
  /** `note`: helpers work, with the limitation in the detail. */
  readonly state: 'ok' | 'note' | 'lacks';
  /** The observation. Never the content of a secret. */
  readonly detail: string;
  /** The change to make, in the manifest if possible. */
  readonly fix?: string;
  readonly helpers: readonly string[];
}

/** Examines one requirement, or a few related ones. */
export type Check = (machine: Machine) => Promise<Finding[]>;

/** Timeout of a network request. */
export const ASK_MS = 2000;
