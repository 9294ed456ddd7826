/** One command line of a service's own tool; its first word is found on the PATH. */
export interface Step {
  readonly argv: readonly [string, ...string[]];
  /** Exit codes that mean "some done, call again"; the step ends with 0. */
  readonly again?: readonly number[];
}

/**
 * The parts of a migration. `offline` is all of it while no replica runs; the others are the same split for an upgrade
 * under load: expand and migrate before the rollout, contract and online after the last old replica is gone.
 */
export const PHASES = ['offline', 'expand', 'migrate', 'contract', 'online'] as const;
export type Phase = (typeof PHASES)[number];

/** The tool's own answer to "is the schema right?", which changes nothing. */
export interface SchemaCheck {
  readonly argv: readonly [string, ...string[]];
  /** What each exit code means: nothing is left, that phase is left, or it can't tell. */
  readonly codes: Readonly<Record<number, 'complete' | Phase | 'error'>>;
}

/** Where the service's configuration names a database of its own. */
export interface ServiceDatabase {
  /** The schema's usual name, for messages and charts; the one that is used stands in the URL. */
  readonly name: string;
  readonly section: string;
  readonly key: string;
}

/** What the helpers know of one OpenStack service. Data only: nothing here runs. */
export interface Service {
  readonly name: string;
  /** Where Kolla's config.json puts the file with its database URL. */
  readonly configFile: string;
  /** The first one holds the fence. */
  readonly databases: readonly [ServiceDatabase, ...ServiceDatabase[]];
  readonly migration: {
    readonly phases: { readonly offline: readonly [Step, ...Step[]] } & Partial<Record<Phase, readonly Step[]>>;
    readonly check?: SchemaCheck;
  };
}
