import type { Probe } from './probe.ts';
import type { Place, Step, ToolTask } from './tool.ts';

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

/** Where the service's own configuration says who it is to Keystone; each stands instead of the data's word. */
export interface AccountPlaces {
  readonly name?: Place;
  readonly password: Place;
  readonly domain?: Place;
  readonly project?: Place;
  readonly projectDomain?: Place;
}

/** A role of an account, on one of a project, a domain and the whole system. */
export interface Grant {
  readonly role: string;
  /** Of the Default domain, unless the service's configuration names another. */
  readonly project?: string;
  readonly domain?: string;
  readonly system?: 'all';
}

/** An account that the service logs in to Keystone with. */
export interface IdentityUser {
  readonly name: string;
  /** Default, unless said. */
  readonly domain?: string;
  readonly grants: readonly Grant[];
  /** None: its password must be given. */
  readonly places?: AccountPlaces;
}

export const INTERFACES = ['public', 'internal', 'admin'] as const;
export type Interface = (typeof INTERFACES)[number];

/** What follows the host in a URL. */
interface EndpointPath {
  readonly port: number;
  /** Empty, or with a leading `/`; `%(project_id)s` is for Keystone to fill in. */
  readonly path: string;
}

/** An entry of Keystone's catalogue. */
export interface IdentityService {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly endpoints: Partial<Record<Interface, EndpointPath>>;
}

/** What a service needs in Keystone before its first start. */
export interface Identity {
  /** Beside Default: where it keeps users of its own. */
  readonly domains?: readonly string[];
  /** That its policies ask for, beside those of its own accounts. */
  readonly roles?: readonly string[];
  readonly users?: readonly IdentityUser[];
  readonly services?: readonly IdentityService[];
}

/** What a service needs in RabbitMQ. */
export interface Queue {
  /** The usual names, for messages and charts; those that are used stand in the transport URL. */
  readonly vhost: string;
  readonly user: string;
  /** Where the configuration has its transport URL; the first that is set counts. */
  readonly url: readonly Place[];
  /** The service works without: where no URL is set, there is none. */
  readonly optional?: true;
}

/** A whole number in the service's configuration, and what it is where it is not set. */
export interface Figure {
  readonly place?: Place;
  readonly usual: number;
}

/**
 * A directory of Fernet keys that the replicas of a service share: files named by numbers. The highest is the primary, which
 * encrypts; all decrypt; 0 is staged, the primary of tomorrow.
 */
export interface KeyRepository {
  /** As the user calls it: `fernet`. */
  readonly name: string;
  /** The Secret that holds it, in the service's namespace; its entries are the files. */
  readonly secret: string;
  /** Where the service reads it, and the option that says so. */
  readonly directory: string;
  readonly directoryAt: Place;
  /** How many keys a rotation leaves. */
  readonly keep: Figure;
  /** Seconds that what was encrypted with a key may still be shown: their sum. None: for ever. */
  readonly lifetime?: readonly Figure[];
  /** Encrypts with the primary what other keys have; `{config}` is the service's file, `{overlay}` ours with the directory. */
  readonly reencrypt?: readonly [string, ...string[]];
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
  readonly identity?: Identity;
  readonly queue?: Queue;
  /** Keys that its replicas share. */
  readonly keys?: readonly KeyRepository[];
  /** What its own tool does before its first start, beside the schema; in this order. */
  readonly tool?: readonly ToolTask[];
  /** How each of its containers is asked whether it is healthy. */
  readonly probes?: readonly Probe[];
  /** What an operator should know before an upgrade. */
  readonly notes?: string;
}

/**
 * Whether the release's code may start on the schema once this phase is done: all of it, a command of one's own, and of
 * the phases before a rollout the last one that the service has.
 * @param word a phase, or `command`
 */
export function isLastBeforeRollout({ migration }: Service, word: Phase | 'command'): boolean {
  if (word === 'all' || word === 'command') return true;
  const has = (phase: Phase) => (migration.phases[phase] ?? []).length > 0;
  return word === (has('migrate') ? 'migrate' : 'expand');
}
