import { UsageError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { dbSyncLease } from '../../kube/db-sync-lease.ts';
import type { LazyKube } from '../../kube/source.ts';
import type { KubeClient, ObjectRef } from '../../kube/types.ts';

/** The Lease that is used as the lock, and the connection to it. */
export interface LeaseSite {
  readonly client: KubeClient;
  readonly ref: ObjectRef;
  /** Whether the phase, when done, allows the release's code to start. */
  readonly isLastBeforeRollout: boolean;
  /** Whether the phase removes what an older release needs. */
  readonly isOneWay: boolean;
  /** What the Lease is for, in the error for a missing permission. */
  readonly purpose?: string;
}

interface SiteOptions {
  readonly lock: 'auto' | 'lease' | 'row';
  readonly leaseName: string | undefined;
  readonly isLastBeforeRollout: boolean;
  readonly isOneWay: boolean;
}

/** Valid names of an object, or of a namespace (without dots). */
const NAME = /^(?=.{1,239}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The Lease of a migration. If the row in the database is the only lock, it logs this and returns undefined.
 * @throws UsageError for an invalid Lease name; ConfigError if credentials are unreadable
 */
export async function leaseSite(
  service: string,
  { lock, leaseName, isLastBeforeRollout, isOneWay }: SiteOptions,
  kube: LazyKube | undefined,
  log: Log,
): Promise<LeaseSite | undefined> {
  if (lock === 'row' || kube === undefined) {
    const why = lock === 'row' ? '--lock row' : 'no --kubeconfig, and no ServiceAccount is mounted';
    log.info(`${why}: the row in the database is the only lock, and no Lease is written`);
    return undefined;
  }
  const name = leaseNameOf(service, leaseName);
  const client = await kube.get();
  checkNamespace(client.namespace);
  return { client, ref: dbSyncLease(client.namespace, name), isLastBeforeRollout, isOneWay };
}

/** The part of the Lease's name that can be configured. Throws UsageError if it is invalid. */
export function leaseNameOf(service: string, leaseName: string | undefined): string {
  const name = leaseName ?? service;
  if (!NAME.test(name)) throw new UsageError(`--lease-name: '${name}' is not a valid Kubernetes name`);
  return name;
}

export function checkNamespace(namespace: string): void {
  if (!NAMESPACE.test(namespace)) throw new UsageError(`--namespace: '${namespace}' is not a valid Kubernetes name`);
}

/** The Lease's name in messages: `Lease openstack/kolla-db-sync-keystone`. */
export function placeOfLease({ ref }: LeaseSite): string {
  return `Lease ${ref.namespace}/${ref.name}`;
}
