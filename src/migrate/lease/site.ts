import { UsageError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { dbSyncLease } from '../../kube/db-sync-lease.ts';
import type { LazyKube } from '../../kube/source.ts';
import type { KubeClient, ObjectRef } from '../../kube/types.ts';

/** Which Lease is the lock, and the way to it. */
export interface LeaseSite {
  readonly client: KubeClient;
  readonly ref: ObjectRef;
  /** Whether the phase, once done, lets the release's code start. */
  readonly isLastBeforeRollout: boolean;
}

interface SiteOptions {
  readonly lock: 'auto' | 'lease' | 'row';
  readonly leaseName: string | undefined;
  readonly isLastBeforeRollout: boolean;
}

/** Of an object; of a namespace without dots. */
const NAME = /^(?=.{1,239}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The Lease of a migration; undefined where the row in the database is the only lock, which is said.
 * @throws UsageError for a name that no Lease can have; ConfigError where the credentials can't be read
 */
export async function leaseSite(
  service: string,
  { lock, leaseName, isLastBeforeRollout }: SiteOptions,
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
  return { client, ref: dbSyncLease(client.namespace, name), isLastBeforeRollout };
}

/** The part of its name that is ours to choose. UsageError when it is no name. */
export function leaseNameOf(service: string, leaseName: string | undefined): string {
  const name = leaseName ?? service;
  if (!NAME.test(name)) throw new UsageError(`--lease-name: '${name}' is no name of Kubernetes`);
  return name;
}

export function checkNamespace(namespace: string): void {
  if (!NAMESPACE.test(namespace)) throw new UsageError(`--namespace: '${namespace}' is no name of Kubernetes`);
}

/** For messages: `Lease openstack/kolla-db-sync-keystone`. */
export function placeOfLease({ ref }: LeaseSite): string {
  return `Lease ${ref.namespace}/${ref.name}`;
}
