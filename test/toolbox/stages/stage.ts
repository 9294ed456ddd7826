export interface Stage {
  /** Words of the line and what stands for them here. */
  readonly replace?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** 0 unless said. */
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Resolves when the example, which goes on for ever, has done its work and may be stopped. */
  readonly stopAfter?: Promise<void>;
}

/** Sets a stage in the directory; what must be taken down goes onto the stack. */
export type SetStage = (directory: string, stack: AsyncDisposableStack) => Promise<Stage>;

/** By the example's line. */
export type Stages = Readonly<Record<string, SetStage>>;

/** One that needs nothing, and prints this. */
export const says =
  (stdout: RegExp): SetStage =>
  () =>
    Promise.resolve({ stdout });
