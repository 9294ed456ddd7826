import type { Resource } from './sharing.ts';
import type { Effects, WaitOptions, Waiter } from './waiter.ts';

/** One thing to wait for, with the kind that knows how. */
export type Dependency = ObjectDependency | ServerDependency | UrlDependency | PathDependency;

interface Given {
  /** How its user wrote it, and how every message names it. */
  readonly text: string;
  /** Met when it is not so: `!`. */
  readonly isNegated: boolean;
  /** The word of one of our kinds (`job`), or what discovery is asked for (`certificates.cert-manager.io`). */
  readonly kind: string;
  /** Its own deadline, counted from the beginning of all waits. */
  readonly timeoutMs: number | undefined;
}

/** Objects of the API: one by its name, or those that have labels. */
export interface ObjectDependency extends Given {
  readonly form: 'object';
  readonly of: ObjectKind;
  /** Undefined where labels stand instead. */
  readonly name: string | undefined;
  /** Undefined: the Pod's own. */
  readonly namespace: string | undefined;
  /** As in a selector: `app=x`, `app!=x`, `app`, `!app`. All must hold. */
  readonly labels: readonly string[];
  /** What to look at instead of the kind's own meaning. All must hold. */
  readonly conditions: readonly Condition[];
  readonly jsonpaths: readonly JsonPath[];
  /** What the object must say that it belongs to. */
  readonly release: string | undefined;
  /** Whether only what is on this Pod's node counts. */
  readonly isOnOwnNode: boolean;
  /** Of a Job: the name of the migration whose record stands for the Job when that is gone. */
  readonly record: string | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface JsonPath {
  /** In braces, as kubectl takes it. */
  readonly path: string;
  /** Undefined: any value that is not empty. */
  readonly value: string | undefined;
}

/** What listens on a port. */
export interface ServerDependency extends Given {
  readonly form: 'server';
  readonly of: ServerKind;
  readonly host: string;
  readonly port: number;
}

export interface UrlDependency extends Given {
  readonly form: 'url';
  readonly of: UrlKind;
  /** Without a fragment: our own options stand there. */
  readonly url: URL;
}

/** What lies in the file system. */
export interface PathDependency extends Given {
  readonly form: 'path';
  readonly of: PathKind;
  readonly path: string;
}

type DependencyOf<F extends Dependency['form']> = Extract<Dependency, { form: F }>;

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
type ObjectOption = 'condition' | 'jsonpath' | 'release' | 'node' | 'db-sync';

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
