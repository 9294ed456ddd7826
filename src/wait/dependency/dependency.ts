import type { Resource } from './sharing.ts';
import type { Effects, WaitOptions, Waiter } from './waiter.ts';

/** One dependency and its kind. */
export type Dependency = ObjectDependency | ServerDependency | UrlDependency | PathDependency;

interface Given {
  /** The text as the user wrote it, which all messages contain. */
  readonly text: string;
  /** Whether the wait is negated with `!`. */
  readonly isNegated: boolean;
  /** One of our kinds (`job`), or a resource to discover (`certificates.cert-manager.io`). */
  readonly kind: string;
  /** The wait's own timeout, which starts when all waits start. */
  readonly timeoutMs: number | undefined;
}

/** Objects in the API: one by name, or a set by labels. */
export interface ObjectDependency extends Given {
  readonly form: 'object';
  readonly of: ObjectKind;
  /** The name; undefined for a label selector. */
  readonly name: string | undefined;
  /** The namespace; undefined for that of the Pod. */
  readonly namespace: string | undefined;
  /** Requirements of a selector: `app=x`, `app!=x`, `app`, `!app`. All must match. */
  readonly labels: readonly string[];
  /** Conditions that replace the kind's default. All must hold. */
  readonly conditions: readonly Condition[];
  readonly jsonpaths: readonly JsonPath[];
  /** The release that the object's label must have. */
  readonly release: string | undefined;
  /** Whether only objects on this Pod's node count. */
  readonly isOnOwnNode: boolean;
  /** For a Job: the migration whose record is used if the Job no longer exists. */
  readonly record: string | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface JsonPath {
  /** The expression in braces, as in kubectl. */
  readonly path: string;
  /** The value; undefined for any non-empty value. */
  readonly value: string | undefined;
}

/** A server that listens on a port. */
export interface ServerDependency extends Given {
  readonly form: 'server';
  readonly of: ServerKind;
  readonly host: string;
  readonly port: number;
}

export interface UrlDependency extends Given {
  readonly form: 'url';
  readonly of: UrlKind;
  /** The URL without its fragment, which contains only the wait's options. */
  readonly url: URL;
}

/** An object in the file system. */
export interface PathDependency extends Given {
  readonly form: 'path';
  readonly of: PathKind;
  readonly path: string;
}

type DependencyOf<F extends Dependency['form']> = Extract<Dependency, { form: F }>;

/** A kind of dependency: its syntax, meaning and waiter. Each kind has its own file in kinds/. */
export type Kind = ObjectKind | ServerKind | UrlKind | PathKind;

interface Common<F extends Dependency['form']> {
  readonly form: F;
  /** The prefix of the dependency's text. */
  readonly word: string;
  /** Aliases, as in kubectl. */
  readonly aliases: readonly string[];
  /** The condition of this kind, worded to follow "met when". */
  readonly means: string;
}

/** A kind that needs no API server. */
interface ServedKind<F extends Dependency['form']> extends Common<F> {
  make(dependency: DependencyOf<F>, options: WaitOptions): Waiter;
}

/** Options that may follow `?`, separated by `&`. `timeout` is always valid. */
type ObjectOption = 'condition' | 'jsonpath' | 'release' | 'node' | 'db-sync';

/** An access to the API that a wait needs, for its Role. */
export interface Reading {
  readonly resource: Pick<Resource, 'group' | 'resource' | 'namespaced'>;
  /**
   * `watch`: of one object or many, as sharing.ts decides. `own watch`: always of one object. `set`: by labels or
   * fields. `get`: one request.
   */
  readonly by: 'watch' | 'own watch' | 'set' | 'get';
  /** The name; undefined for a set, or if it is unknown before the Pod runs. */
  readonly name: string | undefined;
  /** Whether the absence of a watched object is confirmed with a get. A negated wait always does. */
  readonly isConfirmed?: boolean;
}

export interface ObjectKind extends Common<'object'> {
  make(dependency: ObjectDependency, options: WaitOptions, effects: Effects): Waiter;
  /** The kind with its article, for messages: `a Job`. */
  readonly what: string;
  readonly by: 'name' | 'name or labels';
  /** The rule for names: a DNS label (63), a DNS subdomain (253), or any valid object name. */
  readonly nameRule: 'label' | 'subdomain' | 'any';
  readonly hasNamespace: boolean;
  readonly options: readonly ObjectOption[];
  /** Whether `!` is supported. */
  readonly canBeNegated: boolean;
  /**
   * All API accesses that the waiter of make() may need.
   * @param podName the name of our own Pod; undefined if each replica has another one
   */
  readonly reads: (dependency: ObjectDependency, podName: string | undefined) => readonly Reading[];
}

export interface ServerKind extends ServedKind<'server'> {
  /** The default port; undefined if a port is required. */
  readonly defaultPort: number | undefined;
}

export type UrlKind = ServedKind<'url'>;
export type PathKind = ServedKind<'path'>;
