import type { KollaUser } from './kolla-users.ts';
import type { Probe } from './probe.ts';
import type { ConfigOption, Step, ToolTask } from './tool.ts';

/**
 * The phases of a migration. `all` is the full migration, while no replica runs; the others split it for a rolling
 * upgrade: expand and migrate before the rollout, contract and online after the last old replica is gone.
 */
export const PHASES = ['all', 'expand', 'migrate', 'contract', 'online'] as const;
export type Phase = (typeof PHASES)[number];

/** The tool's own check of the schema, without side effects. */
export interface SchemaCheck {
  readonly argv: readonly [string, ...string[]];
  /** The meaning of each exit code: complete, the next phase, or unknown. */
  readonly codes: Readonly<Record<number, 'complete' | Exclude<Phase, 'all'> | 'error'>>;
}

/** The tool's own check whether a release can be upgraded to, by oslo.upgradecheck. Run by the tool of that release. */
export interface UpgradeCheck {
  readonly argv: readonly [string, ...string[]];
  /** Whether it looks at the database. Undefined if that is not known. */
  readonly readsDatabase?: boolean;
  /** A regular expression: an output that shows a bug of the tool itself. Such a check finds nothing. */
  readonly broken?: string;
  /** Why such an output says nothing, if it is no bug: worded to follow the check's name. */
  readonly brokenBecause?: string;
  /** Programs that it calls, and that only some images of the service have. */
  readonly needs?: readonly string[];
  /** Options of directories that it writes to. It gets a temporary directory in their place. */
  readonly scratch?: readonly ConfigOption[];
  /** One of its checks, about something that is switched off. */
  readonly moot?: MootCheck;
}

/** A check without meaning while a boolean option is off, as it is by default. */
interface MootCheck {
  /** As its table names it. */
  readonly check: string;
  readonly unless: ConfigOption;
  /** While the option is off: variables with which the check contacts nothing. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One database of a service. */
export interface ServiceDatabase {
  /** The schema's default name, for messages and charts; the actual name is in the URL. */
  readonly name: string;
  /** The options for its URL; the first one that is set applies. If empty, the user must pass a URL. */
  readonly url: readonly ConfigOption[];
  /** Set if the database may be absent: then no URL needs to be set. */
  readonly optional?: true;
  /** Alembic's version table, if known. */
  readonly versionTable?: string;
  /** The directory with its revisions, relative to the modules that are installed next to the tool. */
  readonly scripts?: string;
  /** Further version tables of the same tool. */
  readonly parts?: readonly VersionTable[];
}

/** A version table of alembic. */
export interface VersionTable {
  readonly versionTable: string;
  /** Undefined if it is not known. */
  readonly scripts?: string | undefined;
}

/** All version tables of a database. */
export function versionTablesOf({ versionTable, scripts, parts = [] }: ServiceDatabase): VersionTable[] {
  return versionTable === undefined ? [...parts] : [{ versionTable, scripts }, ...parts];
}

/** Options of the service's configuration with its Keystone account. Each overrides the catalogue's value. */
export interface AccountPlaces {
  readonly name?: ConfigOption;
  readonly password: ConfigOption;
  readonly domain?: ConfigOption;
  readonly project?: ConfigOption;
  readonly projectDomain?: ConfigOption;
}

/** A role of an account on a project, a domain or the system. */
export interface Grant {
  readonly role: string;
  /** Name of a project, in the Default domain unless the service's configuration names another. */
  readonly project?: string;
  readonly domain?: string;
  readonly system?: 'all';
}

/** A service's account in Keystone. */
export interface IdentityUser {
  readonly name: string;
  /** Name of the account's domain; the default is `Default`. */
  readonly domain?: string;
  readonly grants: readonly Grant[];
  /** If undefined, the operator must pass the account's password. */
  readonly places?: AccountPlaces;
}

export const INTERFACES = ['public', 'internal', 'admin'] as const;
export type Interface = (typeof INTERFACES)[number];

/** The part of a URL after the host. */
interface EndpointPath {
  readonly port: number;
  /** Empty, or with a leading `/`; `%(project_id)s` is expanded by Keystone. */
  readonly path: string;
}

/** An entry of Keystone's catalogue. */
export interface IdentityService {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly endpoints: Partial<Record<Interface, EndpointPath>>;
}

/** A service's objects in Keystone. */
export interface Identity {
  /** Domains for its own users, in addition to Default. */
  readonly domains?: readonly string[];
  /** Roles required by its policies, in addition to those of its accounts. */
  readonly roles?: readonly string[];
  readonly users?: readonly IdentityUser[];
  readonly services?: readonly IdentityService[];
}

/** A service's objects in RabbitMQ. */
export interface Queue {
  /** The default names, for messages and charts; the actual names are in the transport URL. */
  readonly vhost: string;
  readonly user: string;
  /** The options for its transport URL; the first one that is set applies. */
  readonly url: readonly ConfigOption[];
  /** Set if the queue may be absent: then no URL needs to be set. */
  readonly optional?: true;
}

/** An integer in the service's configuration, with its default. */
export interface Figure {
  readonly place?: ConfigOption;
  readonly usual: number;
}

/**
 * A Fernet key directory shared by a service's replicas: files named by numbers. The highest is the primary, which
 * encrypts; all decrypt; 0 is staged, the next primary.
 */
export interface KeyRepository {
  /** The repository's name for users: `fernet`. */
  readonly name: string;
  /** Its Secret in the service's namespace, with one entry per file. */
  readonly secret: string;
  /** The directory that the service reads, and the option that sets it. */
  readonly directory: string;
  readonly directoryAt: ConfigOption;
  /** Number of keys that a rotation keeps. */
  readonly keep: Figure;
  /**
   * Options whose sum is the time in seconds for which data encrypted with a key remains in use. If undefined, forever.
   */
  readonly lifetime?: readonly Figure[];
  /**
   * Re-encrypts data of other keys with the primary key. `{config}` is the service's file; `{overlay}` is our file that
   * sets the directory.
   */
  readonly reencrypt?: readonly [string, ...string[]];
}

/** Data about one OpenStack service. Nothing here runs. */
export interface Service {
  readonly name: string;
  /** A short description. */
  readonly summary: string;
  /** Path of the file with its database URL in Kolla's image: for oslo.config, or YAML, by its suffix. */
  readonly configFile?: string;
  /** The user that runs its tool in Kolla's image. */
  readonly user?: string;
  /** The first database holds the lock and the record. If empty, the user must pass a URL. */
  readonly databases: readonly ServiceDatabase[];
  readonly migration: {
    /** A service with only `all` has a single-step tool; old replicas may break while it runs. */
    readonly phases: { readonly all: readonly [Step, ...Step[]] } & Partial<Record<Phase, readonly Step[]>>;
    readonly check?: SchemaCheck;
    readonly upgradeCheck?: UpgradeCheck;
  };
  readonly identity?: Identity;
  readonly queue?: Queue;
  /** Keys shared by its replicas. */
  readonly keys?: readonly KeyRepository[];
  /** Commands of its own tool before its first start, besides the schema, in this order. */
  readonly tool?: readonly ToolTask[];
  /** The checks of its containers. */
  readonly probes?: readonly Probe[];
  /** Notes for an operator before an upgrade. */
  readonly notes?: string;
}

/**
 * The stages of an upgrade, after that of the infrastructure: each starts when the previous one is complete. The charts of
 * one stage are upgraded at the same time, because their own Jobs and waits order them: Nova's conductors of all cells
 * come before its API, and its API before the compute nodes.
 */
export const STAGES = [
  'identity',
  'placement',
  'image',
  'compute',
  'network',
  'volume',
  'orchestration',
  'dashboard',
] as const;

/** A service of Kolla's images: also the facts that one of kolla-pod.yaml does not have, each required. */
export interface KollaService extends Service {
  readonly user: KollaUser;
  /** The stage of an upgrade in which its chart is; `none` without a chart in k8s/charts. */
  readonly stage: (typeof STAGES)[number] | 'none';
  /** Its charts, if it has more than one of its own name. */
  readonly charts?: readonly string[];
}

/**
 * Whether the release's code may start on the schema after this phase: `all`, a custom command, and the service's last
 * phase before a rollout.
 * @param word a phase, or `command`
 */
export function isLastBeforeRollout({ migration }: Service, word: Phase | 'command'): boolean {
  if (word === 'all' || word === 'command') return true;
  const has = (phase: Phase) => (migration.phases[phase] ?? []).length > 0;
  return word === (has('migrate') ? 'migrate' : 'expand');
}

/**
 * Whether the phase, from its first moment, removes what an older release needs.
 * @param service undefined if it is not known: then it has a single phase
 * @param word a phase, or other work under the lock
 */
export function isOneWay(service: Pick<Service, 'migration'> | undefined, word: string): boolean {
  const { contract, online } = service?.migration.phases ?? {};
  return word === 'contract' || word === 'online' || (word === 'all' && (contract ?? online) !== undefined);
}
