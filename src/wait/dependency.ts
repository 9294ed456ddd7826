import type { Resource } from './sharing.ts';
import type { Effects, WaitOptions, Waiter } from './waiter.ts';

/** One dependency, with its kind. */
export type Dependency = ObjectDependency | ServerDependency | UrlDependency | PathDependency;

interface Given {
  /** As written by the user; used in all messages. */
  readonly text: string;
  /** Negated with `!`. */
  readonly isNegated: boolean;
  /** One of our kinds (`job`), or a resource for discovery (`certificates.cert-manager.io`). */
  readonly kind: string;
  /** Its own timeout, counted from the start of all waits. */
  readonly timeoutMs: number | undefined;
}

/** API objects: one by name, or a set by labels. */
export interface ObjectDependency extends Given {
  readonly form: 'object';
  readonly of: ObjectKind;
  /** Undefined for a label selector. */
  readonly name: string | undefined;
  /** Undefined: the Pod's namespace. */
  readonly namespace: string | undefined;
  /** As in a selector: `app=x`, `app!=x`, `app`, `!app`. All must match. */
  readonly labels: readonly string[];
  /** Conditions instead of the kind's default. All must hold. */
  readonly conditions: readonly Condition[];
  readonly jsonpaths: readonly JsonPath[];
  /** The release of the object's label. */
  readonly release: string | undefined;
  /** Whether only objects on this Pod's node count. */
  readonly isOnOwnNode: boolean;
  /** Of a Job: the migration whose record is used when the Job is gone. */
  readonly record: string | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface JsonPath {
  /** In braces, as in kubectl. */
  readonly path: string;
  /** Undefined: any non-empty value. */
  readonly value: string | undefined;
}

/** A server on a port. */
export interface ServerDependency extends Given {
  readonly form: 'server';
  readonly of: ServerKind;
  readonly host: string;
  readonly port: number;
}

export interface UrlDependency extends Given {
  readonly form: 'url';
  readonly of: UrlKind;
  /** Without the fragment, which contains our own options. */
  readonly url: URL;
}

/** An object in the file system. */
export interface PathDependency extends Given {
  readonly form: 'path';
  readonly of: PathKind;
  readonly path: string;
}

type DependencyOf<F extends Dependency['form']> = Extract<Dependency, { form: F }>;

/** A kind of dependency: its syntax, meaning and waiter. One file each in kinds/. */
export type Kind = ObjectKind | ServerKind | UrlKind | PathKind;

interface Common<F extends Dependency['form']> {
  readonly form: F;
  /** The prefix of the text. */
  readonly word: string;
  /** Aliases, as in kubectl. */
  readonly aliases: readonly string[];
  /** Its condition, as it follows "met when". */
  readonly means: string;
  make(dependency: DependencyOf<F>, options: WaitOptions, effects: Effects): Waiter;
}

/** Options after `?`, separated by `&`; `timeout` is always valid. */
type ObjectOption = 'condition' | 'jsonpath' | 'release' | 'node' | 'db-sync';

/** An API access of a wait, for its Role. */
export interface Reading {
  readonly resource: Pick<Resource, 'group' | 'resource' | 'namespaced'>;
  /**
   * `watch`: of one object or of many, as sharing.ts decides. `own watch`: always of one. `set`: by labels or fields.
   * `get`: one request.
   */
  readonly by: 'watch' | 'own watch' | 'set' | 'get';
  /** Undefined: a set, or unknown before the Pod runs. */
  readonly name: string | undefined;
}

export interface ObjectKind extends Common<'object'> {
  /** With its article, for messages: `a Job`. */
  readonly what: string;
  readonly by: 'name' | 'name or labels';
  /** A DNS label (63), a DNS subdomain (253), or any valid object name. */
  readonly nameRule: 'label' | 'subdomain' | 'any';
  readonly hasNamespace: boolean;
  readonly options: readonly ObjectOption[];
  /** Whether `!` is supported. */
  readonly canBeNegated: boolean;
  /**
   * All API accesses of make()'s waiter, including conditional ones.
   * @param podName our own Pod's; undefined if each replica has another
   */
  readonly reads: (dependency: ObjectDependency, podName: string | undefined) => readonly Reading[];
}

export interface ServerKind extends Common<'server'> {
  /** Undefined: the port is required. */
  readonly defaultPort: number | undefined;
}

export type UrlKind = Common<'url'>;
export type PathKind = Common<'path'>;
