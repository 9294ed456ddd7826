/** One thing to wait for. */
export type Dependency = ObjectDependency | ServerDependency | UrlDependency | PathDependency;

interface Common {
  /** How its user wrote it, and how every message names it. */
  readonly text: string;
  /** Met when it is not so: `!`. */
  readonly isNegated: boolean;
  /** Its own deadline, counted from the beginning of all waits. */
  readonly timeoutMs: number | undefined;
}

/** Objects of the API: one by its name, or those that have labels. */
export interface ObjectDependency extends Common {
  readonly form: 'object';
  /** The word of one of our kinds (`job`), or what discovery is asked for (`certificates.cert-manager.io`). */
  readonly kind: string;
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
export interface ServerDependency extends Common {
  readonly form: 'server';
  readonly kind: string;
  readonly host: string;
  readonly port: number;
}

export interface UrlDependency extends Common {
  readonly form: 'url';
  readonly kind: string;
  /** Without a fragment: our own options stand there. */
  readonly url: URL;
}

/** What lies in the file system. */
export interface PathDependency extends Common {
  readonly form: 'path';
  readonly kind: string;
  readonly path: string;
}

export type DependencyOf<F extends Dependency['form']> = Extract<Dependency, { form: F }>;
