/** The machine to examine. Tests can replace it. */
export interface Machine {
  /** A directory to use instead of `/`; '' for this machine. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly signal: AbortSignal;
}

/** One requirement that helpers have. */
export interface Finding {
  readonly what: string;
  /** `note` means that helpers work, with the limitation in `detail`. */
  readonly state: 'ok' | 'note' | 'lacks';
  /** What was observed. It never contains a secret. */
  readonly detail: string;
  /** How to fix the problem, in the manifest if possible. */
  readonly fix?: string;
  readonly helpers: readonly string[];
}

/** Examines one requirement, or a few that are related. */
export type Check = (machine: Machine) => Promise<Finding[]>;

/** Timeout of a request over the network. */
export const ASK_MS = 2000;
