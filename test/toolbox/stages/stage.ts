export interface Stage {
  /** Arguments of the command line, and the local values that replace them. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** The exit code; the default is 0. */
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Resolves when a long-running example has done its work and may be stopped. */
  readonly stopAfter?: Promise<void>;
}

/** Prepares an example in the directory; cleanup goes onto the stack. */
export type SetStage = (directory: string, stack: AsyncDisposableStack) => Promise<Stage>;

/** Stages by the command line of their example. */
export type Stages = Readonly<Record<string, SetStage>>;

/** An example that needs nothing and prints this. */
export const says =
  (stdout: RegExp): SetStage =>
  () =>
    Promise.resolve({ stdout });
