import type { Redact } from '../../core/redact.ts';
import type { Listing, Step, ToolTask } from '../../catalog/index.ts';

/** Words by the names that stand for them. */
export type Words = Readonly<Record<string, string>>;

/** A task of the service's tool, with everything filled in that is known before it is looked at. */
export interface Task {
  readonly name: string;
  readonly steps: ToolTask['steps'];
  /** What its commands get beside our own environment. It holds secrets. */
  readonly environment: Words;
  /** The same without its secrets, and those: each tells whether it is to be done again. */
  readonly shown: Words;
  readonly secrets: Words;
  /** The variables that name a directory of keys made for one run of its commands. */
  readonly throwawayKeys: readonly string[];
  /** The required variables that are not set, with where they could be. */
  readonly lacks: string | undefined;
  /** The settings of its words. */
  readonly settings: Words;
  readonly done: ListedDone | RecordedDone;
  /** Hides its secrets. */
  readonly redact: Redact;
}

export interface ListedDone {
  readonly listed: Omit<Listing, 'holds'>;
  readonly update: ToolTask['steps'];
  /** By group: the value of the option that it must agree with. They may hold passwords. */
  readonly wanted: Words;
}

export interface RecordedDone {
  readonly once: 'release' | 'ever';
  readonly fills?: string;
  /** A migration whose record tells as well, because the same command lines are in it. */
  readonly within: readonly Step[] | undefined;
}

/** Fills in what is known; other words in braces are the tool's own. */
export function filled(text: string, words: Words): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(words, name) ? words[name]! : whole));
}

/** The same for each word of each step. */
export function filledSteps(steps: ToolTask['steps'], words: Words): ToolTask['steps'] {
  const [first, ...rest] = steps;
  const one = (step: Step): Step => ({ ...step, argv: filledArgv(step.argv, words) });
  return [one(first), ...rest.map(one)];
}

/** The same for a command line. */
export function filledArgv([program, ...more]: Step['argv'], words: Words): Step['argv'] {
  return [filled(program, words), ...more.map((word) => filled(word, words))];
}
