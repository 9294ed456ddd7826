/** One command line of a service's own tool. Its first word is found on the PATH; no shell reads it. */
export interface Step {
  readonly argv: readonly [string, ...string[]];
  /** Where it runs, if not where we do: absolute. */
  readonly folder?: string;
  /** Exit codes that mean "some done, call again"; the step ends with 0. */
  readonly again?: readonly number[];
  /** What its other exit codes mean, for the message when it ends with one. */
  readonly codes?: Readonly<Record<number, string>>;
}

/**
 * The parts of a migration. `all` is the whole of it, while no replica runs; the others are the same split for an
 * upgrade under load: expand and migrate before the rollout, contract and online after the last old replica is gone.
 */
export const PHASES = ['all', 'expand', 'migrate', 'contract', 'online'] as const;
export type Phase = (typeof PHASES)[number];

/** The tool's own answer to "is the schema right?", which changes nothing. */
export interface SchemaCheck {
  readonly argv: readonly [string, ...string[]];
  /** What each exit code means: nothing is left, that phase is the next, or it can't tell. */
  readonly codes: Readonly<Record<number, 'complete' | Exclude<Phase, 'all'> | 'error'>>;
}

/** An option in the service's configuration. */
export interface Place {
  readonly section: string;
  readonly key: string;
}

/** One database of a service. */
export interface ServiceDatabase {
  /** The schema's usual name, for messages and charts; the one that is used stands in the URL. */
  readonly name: string;
  /** Where the configuration has its URL; the first that is set counts. Empty: it can't be read there, and must be given. */
  readonly url: readonly Place[];
  /** The service works without this one: where no URL is set, there is none. */
  readonly optional?: true;
  /** Where alembic keeps the schema's version, where that is known. */
  readonly versionTable?: string;
}

/** What the helpers know of one OpenStack service. Data only: nothing here runs. */
export interface Service {
  readonly name: string;
  /** What it is, in a word or two. */
  readonly summary: string;
  /** Where Kolla's config.json puts the file with its database URL: for oslo.config, or YAML when it ends so. */
  readonly configFile?: string;
  /** The account that its tool runs as in Kolla's image. */
  readonly user?: string;
  /** The first one holds the lock and the record. None: it must be given where those lie. */
  readonly databases: readonly ServiceDatabase[];
  readonly migration: {
    /** A service with `all` alone has a tool of one step: old replicas may break under it. */
    readonly phases: { readonly all: readonly [Step, ...Step[]] } & Partial<Record<Phase, readonly Step[]>>;
    readonly check?: SchemaCheck;
  };
  /** What an operator should know before an upgrade. */
  readonly notes?: string;
}
