export interface Stage {
  /** Arguments of the line and their local replacements. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Default: 0. */
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Resolves when a long-running example has done its work and may be stopped. */
  readonly stopAfter?: Promise<void>;
}

/** Prepares an example in the directory; cleanup goes onto the stack. */
export type SetStage = (directory: string, stack: AsyncDisposableStack) => Promise<Stage>;

/** Keyed by the example's line. */
export type Stages = Readonly<Record<string, SetStage>>;

/** An example that needs nothing and prints this. */
export const says =
  (stdout: RegExp): SetStage =>
  () =>
    Promise.resolve({ stdout });
