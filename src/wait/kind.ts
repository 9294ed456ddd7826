import type { Dependency, DependencyOf, ObjectDependency } from './dependency.ts';
import type { Resource } from './sharing.ts';
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

/** What a wait reads of the API server, for the Role that allows it. */
export interface Reading {
  readonly resource: Pick<Resource, 'group' | 'resource' | 'namespaced'>;
  /**
   * `watch`: of one object or of many, as sharing.ts decides. `own watch`: always of one. `set`: what labels or fields
   * choose. `get`: one answer.
   */
  readonly by: 'watch' | 'own watch' | 'set' | 'get';
  /** Undefined: of a set, or not known before the Pod runs. */
  readonly name: string | undefined;
}

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
  /**
   * All that make()'s waiter reads, also what it reads only at times.
   * @param podName our own Pod's; undefined where each replica has another
   */
  readonly reads: (dependency: ObjectDependency, podName: string | undefined) => readonly Reading[];
}

export interface ServerKind extends Common<'server'> {
  /** Undefined: the port must be given. */
  readonly defaultPort: number | undefined;
}

export type UrlKind = Common<'url'>;
export type PathKind = Common<'path'>;
