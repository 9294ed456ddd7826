import type { Pod } from '../kube/pods.ts';
import type { KubeObject, SetRef } from '../kube/types.ts';
import type { Cache } from './runtime/cache.ts';
import { stripManagedFields, stripPod, stripTemplate } from './keep.ts';
import { revisionOf } from './helm/release.ts';
import { ownSet, type OpenStack, type OpenStackService, type OpenStackWorkload } from './api/objects.ts';
import type { CONTROLLERS } from './options.ts';
import { migrationIn } from './service/migrations.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from './service/workloads.ts';
import { isOf } from './workload/reconcile.ts';

export type Controller = (typeof CONTROLLERS)[number];

/** An object to be reconciled. */
export interface Request {
  readonly controller: Controller;
  readonly name: string;
}

/** All watched sets; one that no running controller reads is empty. */
export interface Caches extends Readonly<Record<WorkloadKind, Cache<KubeObject>>> {
  readonly openstacks: Cache<OpenStack>;
  readonly services: Cache<OpenStackService>;
  readonly scales: Cache<OpenStackWorkload>;
  readonly pods: Cache<Pod>;
  readonly secrets: Cache<KubeObject>;
  readonly configMaps: Cache<KubeObject>;
  readonly leases: Cache<KubeObject>;
}

/** What a row reads to decide what is to be reconciled. */
export interface WatchContext {
  readonly caches: Caches;
  /** Whether the value differs from the one that was given for this object before. */
  readonly isNews: (object: string, value: unknown) => boolean;
  /** Ends a Helm that is about a former state of the service. */
  readonly changed: (service: OpenStackService) => void;
  /** The services whose state the Lease of a migration changes. */
  readonly usersOf: (migration: string) => readonly string[];
}

/** One watched set. */
export interface Watch<T extends KubeObject> {
  /** It is watched if one of these runs. */
  readonly for: readonly Controller[];
  readonly set: (namespace: string) => SetRef;
  /** Only what is used of an object is kept. */
  readonly keep: (object: T) => T;
  readonly metadataOnly?: true;
  /** What is to be reconciled after the object was added, changed or deleted. */
  readonly requests: (object: T, context: WatchContext) => Iterable<Request>;
}

type Watches = { readonly [Name in keyof Caches]: Caches[Name] extends Cache<infer T> ? Watch<T> : never };

/** Also the rows of the Role (grants.ts). */
export const WATCHES: Watches = {
  openstacks: {
    for: ['openstack', 'service'],
    set: (namespace) => ownSet('OpenStack', namespace),
    keep: stripManagedFields,
    *requests({ metadata: { name, uid } }, { caches: { openstacks, services }, isNews }) {
      yield { controller: 'openstack', name };
      // Each change of a service changes the status of its OpenStack, which is no reason to look at all services.
      const current = openstacks.get(name);
      if (!isNews(uid, current?.metadata.uid === uid && current.spec.suspend !== true)) return;
      for (const { metadata } of services.values())
        if (metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
          yield { controller: 'service', name: metadata.name };
    },
  },
  services: {
    for: ['openstack', 'service'],
    set: (namespace) => ownSet('OpenStackService', namespace),
    keep: stripManagedFields,
    *requests(service, { caches: { openstacks }, changed }) {
      changed(service);
      yield { controller: 'service', name: service.metadata.name };
      for (const { metadata } of openstacks.values()) yield { controller: 'openstack', name: metadata.name };
    },
  },
  ...ofWorkloads((kind) => ({
    for: ['service', 'workload'],
    // Helm sets this label and the annotation on the objects of every release, whoever has installed it.
    set: (namespace) => ({
      ...WORKLOAD_KINDS[kind],
      namespace,
      labelSelector: 'app.kubernetes.io/managed-by=Helm',
    }),
    keep: stripTemplate,
    *requests(object, { caches }) {
      yield* serviceOf(releaseOf(object), caches);
      const { name } = object.metadata;
      if (caches.scales.get(name) !== undefined) yield { controller: 'workload', name };
    },
  })),
  scales: {
    for: ['service', 'workload'],
    set: (namespace) => ownSet('OpenStackWorkload', namespace),
    keep: stripManagedFields,
    *requests({ metadata, spec }, { caches }) {
      yield { controller: 'workload', name: metadata.name };
      const live = caches[spec.kind ?? 'Deployment'].get(metadata.name);
      yield* serviceOf(live && releaseOf(live), caches);
      yield* serviceOf(metadata.ownerReferences?.find(({ controller }) => controller)?.name, caches);
    },
  },
  pods: {
    for: ['workload'],
    set: (namespace) => ({ group: '', version: 'v1', resource: 'pods', namespace }),
    keep: stripPod,
    *requests(pod, { caches }) {
      for (const { metadata, spec } of caches.scales.values()) {
        const live = caches[spec.kind ?? 'Deployment'].get(metadata.name);
        if (isOf({ ...pod, status: {} }, live)) yield { controller: 'workload', name: metadata.name };
      }
    },
  },
  secrets: {
    for: ['service'],
    set: (namespace) => ({ group: '', version: 'v1', resource: 'secrets', namespace }),
    keep: stripManagedFields,
    metadataOnly: true,
    *requests(secret, { caches }) {
      const release = revisionOf(secret);
      if (release === undefined) yield* withValuesFrom('Secret', secret.metadata.name, caches);
      else yield* serviceOf(release.name, caches);
    },
  },
  configMaps: {
    for: ['service'],
    set: (namespace) => ({ group: '', version: 'v1', resource: 'configmaps', namespace }),
    keep: stripManagedFields,
    metadataOnly: true,
    requests: ({ metadata }, { caches }) => withValuesFrom('ConfigMap', metadata.name, caches),
  },
  leases: {
    for: ['service'],
    set: (namespace) => ({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace }),
    keep: stripManagedFields,
    metadataOnly: true,
    *requests({ metadata: { name } }, { caches: { leases }, isNews, usersOf }) {
      const migration = migrationIn(name);
      // A Lease changes with each renewal.
      const says = JSON.stringify(leases.get(name)?.metadata.annotations ?? null);
      if (migration === undefined || !isNews(name, says)) return;
      for (const user of usersOf(migration)) yield { controller: 'service', name: user };
    },
  },
};

function ofWorkloads(row: (kind: WorkloadKind) => Watch<KubeObject>): Record<WorkloadKind, Watch<KubeObject>> {
  return {
    Deployment: row('Deployment'),
    StatefulSet: row('StatefulSet'),
    DaemonSet: row('DaemonSet'),
    Job: row('Job'),
  };
}

function releaseOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.['meta.helm.sh/release-name'];
}

function* serviceOf(name: string | undefined, { services }: Caches): Iterable<Request> {
  if (name !== undefined && services.get(name) !== undefined) yield { controller: 'service', name };
}

function* withValuesFrom(kind: 'Secret' | 'ConfigMap', name: string, { services }: Caches): Iterable<Request> {
  for (const { metadata, spec } of services.values())
    if (spec.valuesFrom?.some((source) => source.kind === kind && source.name === name))
      yield { controller: 'service', name: metadata.name };
}
