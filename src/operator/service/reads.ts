import { unlessGone } from '../../kube/api-error.ts';
import { dbSyncLease } from '../../kube/db-sync-lease.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { Cache } from '../runtime/cache.ts';
import { newestRelease, type Release } from '../helm/release.ts';
import {
  ownRef,
  type HelmValues,
  type MigrationStatus,
  type OpenStack,
  type OpenStackService,
  type OpenStackWorkload,
} from '../api/objects.ts';
import { historyOf } from './history.ts';
import { migrationsOf, migrationStatus } from './migrations.ts';
import { isReplicated, scaleValues } from './scale.ts';
import { podsProblem } from './pods.ts';
import { WORKLOAD_KINDS, workloadsState, type WorkloadKind, type WorkloadsState } from './workloads.ts';

interface Sources {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Metadata of all Secrets. */
  readonly secrets: Cache<KubeObject>;
  readonly workloads: Readonly<Record<WorkloadKind, Cache<KubeObject>>>;
  /** Metadata of all Leases. */
  readonly leases: Cache<KubeObject>;
  readonly scales: Cache<OpenStackWorkload>;
  readonly openstacks: Cache<OpenStack>;
}

/** Objects of services: from the caches, which cost nothing and may be old, or as the server has them now. */
export class ServiceReads {
  readonly #sources: Sources;
  /** The newest revisions, read once: by name, with the Secret's version. */
  readonly #releases = new Map<string, { readonly version: string; readonly release: Release | undefined }>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  readonly cachedWorkload = (kind: WorkloadKind, name: string): KubeObject | undefined =>
    this.#sources.workloads[kind].get(name);

  async workload(kind: WorkloadKind, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { client, namespace } = this.#sources;
    return await client
      .get<KubeObject>(objectPath({ ...WORKLOAD_KINDS[kind], namespace, name }), { signal })
      .catch(unlessGone);
  }

  async service(name: string, signal: AbortSignal): Promise<OpenStackService | undefined> {
    const { client, namespace } = this.#sources;
    return await client
      .get<OpenStackService>(objectPath(ownRef('OpenStackService', namespace, name)), { signal })
      .catch(unlessGone);
  }

  /** Whether the operator only observes a service: by its own spec, or by that of its OpenStack, or after that was deleted. */
  isSuspended({ metadata, spec }: OpenStackService): boolean {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    if (spec.suspend === true || owner?.kind !== 'OpenStack') return spec.suspend === true;
    const openstack = this.#sources.openstacks.get(owner.name);
    // Without its owner, the garbage collector is about to delete the service.
    return openstack?.metadata.uid !== owner.uid || openstack.spec.suspend === true;
  }

  /** The values that OpenStackWorkloads set, from the cache. */
  cachedScale(release: Release | undefined): HelmValues {
    return scaleValues(release?.objects ?? [], (name) => this.#sources.scales.get(name));
  }

  async scale(release: Release | undefined, signal: AbortSignal): Promise<HelmValues> {
    if (release === undefined) return {};
    const { client, namespace } = this.#sources;
    // Each by its name: a list of all would cost more with each further service.
    const all = await Promise.all(
      release.objects.filter(isReplicated).map(async ({ name }) => {
        const path = objectPath(ownRef('OpenStackWorkload', namespace, name));
        return await client.get<OpenStackWorkload>(path, { signal }).catch(unlessGone);
      }),
    );
    return scaleValues(release.objects, (name) => all.find((one) => one?.metadata.name === name));
  }

  /** Whether Jobs of the service write this migration's Lease. */
  hasMigration(name: string, migration: string): boolean {
    return this.#releases.get(name)?.release?.objects.some((object) => object.migration === migration) === true;
  }

  /** The state of a service's migrations, from the cache; undefined if its release is not known yet. */
  cachedMigrations(name: string, before: readonly MigrationStatus[] = []): MigrationStatus[] | undefined {
    const release = this.#releases.get(name)?.release;
    return release && migrationsIn(release, before, (lease) => this.#sources.leases.get(lease));
  }

  async migrations(
    release: Release | undefined,
    before: readonly MigrationStatus[] = [],
    signal: AbortSignal,
  ): Promise<MigrationStatus[]> {
    if (release === undefined) return [];
    const { client, namespace } = this.#sources;
    const names = migrationsOf(release.objects).map((name) => dbSyncLease(namespace, name));
    const leases = await Promise.all(
      names.map(
        async (ref) => await client.get<KubeObject>(objectPath(ref), { signal, metadataOnly: true }).catch(unlessGone),
      ),
    );
    return migrationsIn(release, before, (name) => leases.find((lease) => lease?.metadata.name === name));
  }

  async cachedRelease(name: string, signal: AbortSignal): Promise<Release | undefined> {
    const { version } = historyOf(this.#sources.secrets.values(), name, undefined);
    const known = this.#releases.get(name);
    return known?.version === version ? known.release : await this.release(name, signal);
  }

  async release(name: string, signal: AbortSignal): Promise<Release | undefined> {
    const { client, namespace, secrets } = this.#sources;
    const { revision, version } = historyOf(secrets.values(), name, undefined);
    const release = await newestRelease(client, { namespace, name }, revision, signal);
    this.#releases.set(name, { version, release });
    return release;
  }

  /**
   * Objects of the deployed revision that were deleted. A completed Job may be.
   * @param failedJobs Jobs that had failed, and run again when they are deleted
   */
  async missing({ objects, status }: Release, failedJobs: readonly string[], signal: AbortSignal): Promise<string[]> {
    if (status !== 'deployed') return [];
    const cached = await workloadsState(objects, this.cachedWorkload);
    const deleted = failedJobs.filter(
      (job) => this.cachedWorkload('Job', job) === undefined && objects.some(({ name }) => name === job),
    );
    if (cached.missing.length + deleted.length === 0) return [];
    const fresh = await workloadsState(objects, (kind, name) => this.workload(kind, name, signal));
    return [...fresh.missing, ...deleted.map((job) => `job/${job}`)];
  }

  /** Why a workload that is not ready may never be; undefined if nothing is known. */
  async problem({ problems, pending }: WorkloadsState, signal: AbortSignal): Promise<string | undefined> {
    const { client, namespace } = this.#sources;
    let [problem] = problems;
    for (const what of pending) {
      if (problem !== undefined) break;
      const [, kind = '', name = ''] = /^(\w+)\/([^:]+):/.exec(what) ?? [];
      const workload = this.cachedWorkload(KIND_OF[kind] ?? 'Job', name);
      problem = workload && (await podsProblem(client, namespace, workload, signal));
    }
    return problem;
  }

  forget(name: string): void {
    this.#releases.delete(name);
  }
}

const KIND_OF: Readonly<Record<string, WorkloadKind>> = {
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
};

function migrationsIn(
  { objects }: Release,
  before: readonly MigrationStatus[],
  lease: (name: string) => KubeObject | undefined,
): MigrationStatus[] {
  return migrationsOf(objects).flatMap((name) => {
    const found = lease(dbSyncLease('', name).name);
    const known = before.find((migration) => migration.name === name);
    return found === undefined ? [] : [migrationStatus(name, found, known)];
  });
}
