import type { Redact } from '../../core/redact.ts';
import type { Listing, Step, ToolTask } from '../../catalog/index.ts';

/** Values by the name of their placeholder. */
export type Words = Readonly<Record<string, string>>;

/** A task of the service's tool. All of its values are known before it is checked. */
export interface Task {
  readonly name: string;
  readonly steps: ToolTask['steps'];
  /** Variables for the task's commands in addition to our environment. They contain secrets. */
  readonly environment: Words;
  /** The same variables without secrets, which are kept separately. A change of either makes the task run again. */
  readonly shown: Words;
  readonly secrets: Words;
  /** Variables that name a temporary directory of keys during one run of its commands. */
  readonly throwawayKeys: readonly string[];
  /** Required variables that are not set, with the places where they may be set. */
  readonly lacks: string | undefined;
  /** The settings in the task's command lines. */
  readonly settings: Words;
  readonly done: ListedDone | RecordedDone;
  /** Redacts the secrets of this task. */
  readonly redact: Redact;
}

export interface ListedDone {
  readonly listed: Omit<Listing, 'holds'>;
  readonly update: ToolTask['steps'];
  /** For each group the value of the option that it must match. May contain passwords. */
  readonly wanted: Words;
}

export interface RecordedDone {
  readonly once: 'release' | 'ever';
  readonly fills?: string;
  /** A migration whose record also counts, because it contains the same command lines. */
  readonly within: readonly Step[] | undefined;
}

/** Replaces known placeholders. Others belong to the tool. */
export function filled(text: string, words: Words): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(words, name) ? words[name]! : whole));
}

/** The same for each argument of all steps. */
export function filledSteps(steps: ToolTask['steps'], words: Words): ToolTask['steps'] {
  const [first, ...rest] = steps;
  const one = (step: Step): Step => ({ ...step, argv: filledArgv(step.argv, words) });
  return [one(first), ...rest.map(one)];
}

/** The same for one command line. */
export function filledArgv([program, ...more]: Step['argv'], words: Words): Step['argv'] {
  return [filled(program, words), ...more.map((word) => filled(word, words))];
}
