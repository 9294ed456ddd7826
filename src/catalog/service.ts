import type { Probe } from './probe.ts';
import type { Place, Step, ToolTask } from './tool.ts';

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

/** One database of a service. */
export interface ServiceDatabase {
  /** The schema's default name, for messages and charts; the actual one is in the URL. */
  readonly name: string;
  /** The options for its URL; the first one that is set applies. Empty: it must be given. */
  readonly url: readonly Place[];
  /** Optional: absent if no URL is set. */
  readonly optional?: true;
  /** Alembic's version table, if known. */
  readonly versionTable?: string;
}

/** Options of the service's configuration with its Keystone account; each overrides the catalogue. */
export interface AccountPlaces {
  readonly name?: Place;
  readonly password: Place;
  readonly domain?: Place;
  readonly project?: Place;
  readonly projectDomain?: Place;
}

/** A role of an account, on a project, a domain or the system. */
export interface Grant {
  readonly role: string;
  /** In the Default domain, unless the service's configuration names another. */
  readonly project?: string;
  readonly domain?: string;
  readonly system?: 'all';
}

/** A service's account in Keystone. */
export interface IdentityUser {
  readonly name: string;
  /** Default: Default. */
  readonly domain?: string;
  readonly grants: readonly Grant[];
  /** If undefined, its password must be given. */
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
  /** In addition to Default: domains for its own users. */
  readonly domains?: readonly string[];
  /** Required by its policies, in addition to those of its accounts. */
  readonly roles?: readonly string[];
  readonly users?: readonly IdentityUser[];
  readonly services?: readonly IdentityService[];
}

/** A service's objects in RabbitMQ. */
export interface Queue {
  /** The default names, for messages and charts; the actual ones are in the transport URL. */
  readonly vhost: string;
  readonly user: string;
  /** The options for its transport URL; the first one that is set applies. */
  readonly url: readonly Place[];
  /** Optional: absent if no URL is set. */
  readonly optional?: true;
}

/** An integer in the service's configuration, with its default. */
export interface Figure {
  readonly place?: Place;
  readonly usual: number;
}

/**
 * A Fernet key directory shared by a service's replicas: files named by numbers. The highest is the primary, which
 * encrypts; all decrypt; 0 is staged, the next primary.
 */
export interface KeyRepository {
  /** The user's name for it: `fernet`. */
  readonly name: string;
  /** Its Secret in the service's namespace; the entries are the files. */
  readonly secret: string;
  /** The directory read by the service, and the option that sets it. */
  readonly directory: string;
  readonly directoryAt: Place;
  /** Number of keys kept by a rotation. */
  readonly keep: Figure;
  /** Seconds that data encrypted with a key may remain in use: their sum. None: forever. */
  readonly lifetime?: readonly Figure[];
  /**
   * Re-encrypts data of other keys with the primary; `{config}` is the service's file, `{overlay}` ours with
   * the directory.
   */
  readonly reencrypt?: readonly [string, ...string[]];
}

/** Data about one OpenStack service. Nothing here runs. */
export interface Service {
  readonly name: string;
  /** A short description. */
  readonly summary: string;
  /** Kolla's path of the file with its database URL: for oslo.config, or YAML by its suffix. */
  readonly configFile?: string;
  /** The user of its tool in Kolla's image. */
  readonly user?: string;
  /** The first one holds the lock and the record. None: it must be given. */
  readonly databases: readonly ServiceDatabase[];
  readonly migration: {
    /** A service with `all` alone has a single-step tool: old replicas may break during it. */
    readonly phases: { readonly all: readonly [Step, ...Step[]] } & Partial<Record<Phase, readonly Step[]>>;
    readonly check?: SchemaCheck;
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
 * Whether the release's code may start on the schema after this phase: `all`, a custom command, and the last of the
 * service's phases before a rollout.
 * @param word a phase, or `command`
 */
export function isLastBeforeRollout({ migration }: Service, word: Phase | 'command'): boolean {
  if (word === 'all' || word === 'command') return true;
  const has = (phase: Phase) => (migration.phases[phase] ?? []).length > 0;
  return word === (has('migrate') ? 'migrate' : 'expand');
}
