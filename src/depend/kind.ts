import type { Dependency, DependencyOf } from './dependency.ts';
import type { Effects, WaitOptions, Waiter } from './waiter.ts';

/** A kind of dependency: how it is written, what it means, and what waits for it. One file each in kinds/. */
export type Kind = ObjectKind | ServerKind | UrlKind | PathKind;

interface Common<F extends Dependency['form']> {
  readonly form: F;
  /** What the text begins with. */
  readonly word: string;
  /** Other words for the same, as kubectl has them. */
  readonly aliases: readonly string[];
  /** When it is met, as it follows "met when". */
  readonly means: string;
  make(dependency: DependencyOf<F>, options: WaitOptions, effects: Effects): Waiter;
}

/** What `&` separates behind the `?`, besides `timeout`, which everything has. */
export type ObjectOption = 'condition' | 'jsonpath' | 'release' | 'node' | 'db-sync';

export interface ObjectKind extends Common<'object'> {
  /** With its article, for messages: `a Job`. */
  readonly what: string;
  readonly by: 'name' | 'name or labels';
  /** A DNS label (63) or a DNS subdomain (253), or what any object of the API may be called. */
  readonly nameRule: 'label' | 'subdomain' | 'any';
  readonly hasNamespace: boolean;
  readonly options: readonly ObjectOption[];
  /** Whether `!` makes sense. */
  readonly canBeNegated: boolean;
}

export interface ServerKind extends Common<'server'> {
  /** Undefined: the port must be given. */
  readonly defaultPort: number | undefined;
}

export type UrlKind = Common<'url'>;
export type PathKind = Common<'path'>;
