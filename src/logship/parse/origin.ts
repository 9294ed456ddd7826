import type { FileKind } from './formats.ts';

/** What every document of this pod carries. */
export interface Origin {
  readonly hostname: string;
  readonly pod: string | undefined;
  readonly namespace: string | undefined;
  readonly node: string | undefined;
  readonly container?: string | undefined;
  /** The pod's, in the order in which they were given. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A file, and the pod whose file it is. */
export interface FileOrigin extends Origin {
  readonly path: string;
  readonly kind: FileKind;
}

/** Folders that are not OpenStack services: Kolla gives their documents no Logger. */
const INFRASTRUCTURE = new Set([
  'haproxy',
  'letsencrypt',
  'libvirt',
  'mariadb',
  'openvswitch',
  'rabbitmq',
  'syslog',
  'valkey',
]);

/**
 * Labels with `_` for the dots in their names: a server takes `app` and `app.kubernetes.io/name` for a text and an object of
 * the same name, and refuses every document that has both.
 */
export function undotted(labels: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  if (labels === undefined) return undefined;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name.replaceAll('.', '_'), value]));
}

/** `openstack.nova`; undefined for what is not OpenStack. */
export function loggerOf({ folder }: FileKind): string | undefined {
  return INFRASTRUCTURE.has(folder) ? undefined : `openstack.${folder}`;
}

/** Without what is undefined; undefined when nothing is left. */
export function given<T extends object>(values: T): T | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}
