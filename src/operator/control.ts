import { join } from 'node:path';
import type { Context } from '../cli/command.ts';
import type { Values } from '../cli/option.ts';
import { messageOf } from '../core/errors.ts';
import type { KubeClient, KubeObject, SetRef } from '../kube/types.ts';
import { turnOf, type Beat } from './runtime/beat.ts';
import { watched, type Cache } from './runtime/cache.ts';
import { HELM_GRACE_MS, type Helm } from './helm/command.ts';
import { revisionOf } from './helm/release.ts';
import { Journal } from './journal.ts';
import { stripPod, stripTemplate, stripManagedFields } from './keep.ts';
import { ownSet, type Kind, type OpenStack, type OpenStackService, type OpenStackWorkload } from './api/objects.ts';
import { reconcileOpenStack } from './openstack/reconcile.ts';
import { Preflight } from './openstack/preflight.ts';
import type { CONTROLLERS, OPERATOR_OPTIONS } from './options.ts';
import { policyProblem } from './policy.ts';
import { Publisher } from './runtime/publish.ts';
import { WorkQueue, type Result } from './runtime/queue.ts';
import { migrationIn } from './service/migrations.ts';
import type { Pod } from '../kube/pods.ts';
import { ServiceReconciler } from './service/reconcile.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from './service/workloads.ts';
import { publishSuspects } from './suspects.ts';
import { isOf, reconcileWorkload } from './workload/reconcile.ts';

type Controller = (typeof CONTROLLERS)[number];

export interface Settings extends Omit<Values<typeof OPERATOR_OPTIONS>, 'controllers' | 'directory'> {
  readonly controllers: readonly Controller[];
  readonly directory: string;
  readonly process: string;
  readonly inherited: NodeJS.ProcessEnv;
  readonly beat: Beat;
}

/** Time for all turns to end; the rest is for Helm's output. */
const GIVE_UP_MS = HELM_GRACE_MS + 5000;

/** Runs these controllers until `stop`, and then until the last Helm has ended. Each change of an object queues its key. */
export async function control(
  client: KubeClient,
  settings: Settings,
  stop: AbortSignal,
  log: Context['log'],
): Promise<void> {
  const { beat, charts, controllers, directory, helm: file, inherited, kubeconfig, process } = settings;
  const { namespace } = client;
  // A bug in one part ends the others too: the kubelet restarts the process.
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  const publisher = new Publisher(client, process, log);
  const now = () => new Date();
  const limits = { ownMs: settings.helmDeadline, memoryBytes: settings.helmMemoryBytes };
  const helm: Helm = { file, kubeconfig, directory, inherited, limits };
  const journal = new Journal(join(directory, 'turns'), log);
  const isRun = (controller: Controller) => controllers.includes(controller);
  const endings: Promise<void>[] = [];
  const known: Promise<void>[] = [];
  const watch = <T extends KubeObject>(ref: SetRef, rest: WatchRest<T>): Cache<T> => {
    const name = `watch of ${ref.resource}`;
    const onMoved = () => beat.watchMoved(name);
    onMoved();
    const cache = watched<T>(client, ref, { signal, log, keep: stripManagedFields, onMoved, ...rest });
    endings.push(cache.ended.finally(() => beat.ended(name)));
    known.push(cache.known);
    return cache;
  };
  // Keys are queued before the caches are complete, and handled afterwards.
  const ready = Promise.withResolvers<void>();
  const queueOf = (kind: Kind, handle: (key: string) => Promise<Result>, maxConcurrentReconciles: number) =>
    new WorkQueue({
      handle: async (key) => {
        await ready.promise;
        const turn = turnOf(kind, key);
        beat.moved(turn);
        journal.begin(kind, key);
        let handled: Result | undefined;
        try {
          return (handled = await handle(key));
        } finally {
          beat.ended(turn);
          journal.end(kind, key, handled?.requeueAfterMs === 0);
        }
      },
      isLast: (key) => journal.isSuspect(kind, key),
      signal,
      maxConcurrentReconciles,
      onError: (key, error, requeueAfterMs) =>
        log.error(`${kind} ${key}: ${messageOf(error)}; again in ${Math.round(requeueAfterMs / 1000)}s`),
    });
  const queues: Record<Controller, WorkQueue> = {
    openstack: queueOf('OpenStack', async (key) => await openstackOf(key), 1),
    service: queueOf(
      'OpenStackService',
      async (key) => (await service?.reconcile(key, signal)) ?? {},
      settings.maxConcurrentReconciles,
    ),
    workload: queueOf('OpenStackWorkload', async (key) => await workloadOf(key), settings.maxConcurrentReconciles),
  };
  const add = (controller: Controller, key: string | undefined) => {
    if (key !== undefined && isRun(controller)) queues[controller].add(key);
  };
  const addService = (name: string | undefined) => {
    if (name !== undefined && services?.get(name) !== undefined) add('service', name);
  };

  /** The OpenStacks that do not suspend their services, by uid. */
  const active = new Set<string>();
  const openstacks =
    isRun('openstack') || isRun('service')
      ? watch<OpenStack>(ownSet('OpenStack', namespace), {
          onChange: ({ metadata }) => {
            add('openstack', metadata.name);
            // Each change of a service changes the status of its OpenStack, which is no reason to look at all services.
            const current = openstacks?.get(metadata.name);
            const isActive = current?.metadata.uid === metadata.uid && current.spec.suspend !== true;
            if (active.has(metadata.uid) === isActive) return;
            active[isActive ? 'add' : 'delete'](metadata.uid);
            for (const service of services?.values() ?? [])
              if (service.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true)
                add('service', service.metadata.name);
          },
        })
      : undefined;
  const services =
    isRun('openstack') || isRun('service')
      ? watch<OpenStackService>(ownSet('OpenStackService', namespace), {
          onChange: (object) => {
            service?.changed(object);
            add('service', object.metadata.name);
            for (const { metadata } of openstacks?.values() ?? []) add('openstack', metadata.name);
          },
        })
      : undefined;
  const below = isRun('service') || isRun('workload') ? belowServices() : undefined;
  const pods =
    below && isRun('workload')
      ? watch<Pod>(
          { group: '', version: 'v1', resource: 'pods', namespace },
          {
            keep: stripPod,
            onChange: (pod) => {
              for (const { metadata, spec } of below.scales.values()) {
                const live = below.workloads[spec.kind ?? 'Deployment'].get(metadata.name);
                if (isOf({ ...pod, status: {} }, live)) add('workload', metadata.name);
              }
            },
          },
        )
      : undefined;
  const service =
    below && services && openstacks && isRun('service') ? serviceReconciler(services, openstacks, below) : undefined;
  const preflight = new Preflight({ client, charts, helm, beat, log });

  async function openstackOf(key: string): Promise<Result> {
    if (openstacks === undefined || services === undefined) return {};
    return await reconcileOpenStack(key, { client, publisher, openstacks, services, preflight, log, now }, signal);
  }

  async function workloadOf(key: string): Promise<Result> {
    if (below === undefined || pods === undefined) return {};
    return await reconcileWorkload(key, { client, publisher, ...below, pods, now }, signal);
  }

  function belowServices() {
    const releaseOf = ({ metadata }: KubeObject) => metadata.annotations?.['meta.helm.sh/release-name'];
    const workloadsOf = (kind: WorkloadKind) =>
      watch<KubeObject>(
        // Helm sets this label and the annotation on the objects of every release, whoever has installed it.
        { ...WORKLOAD_KINDS[kind], namespace, labelSelector: 'app.kubernetes.io/managed-by=Helm' },
        {
          keep: stripTemplate,
          onChange: (object) => {
            addService(releaseOf(object));
            if (scales.get(object.metadata.name) !== undefined) add('workload', object.metadata.name);
          },
        },
      );
    const workloads = {
      Deployment: workloadsOf('Deployment'),
      StatefulSet: workloadsOf('StatefulSet'),
      DaemonSet: workloadsOf('DaemonSet'),
      Job: workloadsOf('Job'),
    };
    const scales = watch<OpenStackWorkload>(ownSet('OpenStackWorkload', namespace), {
      onChange: ({ metadata, spec }) => {
        add('workload', metadata.name);
        const live = workloads[spec.kind ?? 'Deployment'].get(metadata.name);
        addService(live && releaseOf(live));
        addService(metadata.ownerReferences?.find(({ controller }) => controller)?.name);
      },
    });
    return { workloads, scales };
  }

  function serviceReconciler(
    all: Cache<OpenStackService>,
    clouds: Cache<OpenStack>,
    parts: ReturnType<typeof belowServices>,
  ): ServiceReconciler {
    const usersOf = (kind: 'Secret' | 'ConfigMap', name: string) => {
      for (const { metadata, spec } of all.values())
        if (spec.valuesFrom?.some((source) => source.kind === kind && source.name === name))
          add('service', metadata.name);
    };
    const secrets = watch<KubeObject>(
      { group: '', version: 'v1', resource: 'secrets', namespace },
      {
        metadataOnly: true,
        onChange: (secret) => {
          const release = revisionOf(secret);
          if (release === undefined) usersOf('Secret', secret.metadata.name);
          else addService(release.name);
        },
      },
    );
    watch<KubeObject>(
      { group: '', version: 'v1', resource: 'configmaps', namespace },
      { metadataOnly: true, onChange: ({ metadata }) => usersOf('ConfigMap', metadata.name) },
    );
    const said = new Map<string, string>();
    const leases = watch<KubeObject>(
      { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace },
      {
        metadataOnly: true,
        onChange: ({ metadata }) => {
          const migration = migrationIn(metadata.name);
          const says = JSON.stringify(metadata.annotations ?? {});
          // A Lease changes with each renewal.
          if (migration === undefined || (said.get(metadata.name) === says && leases.get(metadata.name) !== undefined))
            return;
          said.set(metadata.name, says);
          for (const name of reconciler.usersOf(migration)) add('service', name);
        },
      },
    );
    const effects = {
      client,
      namespace,
      charts,
      helm,
      beat,
      process,
      publisher,
      services: all,
      secrets,
      leases,
      log,
      now,
    };
    const reconciler = new ServiceReconciler({ ...effects, openstacks: clouds, ...parts });
    return reconciler;
  }

  /** Once per start, in the log and on each OpenStack: nothing else shows that values are open to more users. */
  async function warnOfPolicy(): Promise<void> {
    const problem = await policyProblem(client, signal);
    if (problem === undefined) return;
    log.warn(problem);
    for (const cloud of openstacks?.values() ?? [])
      await publisher.event('OpenStack', cloud, 'Warning', 'NoAdmissionPolicy', problem, signal);
  }

  for (const ending of endings) ending.catch((error: unknown) => failed.abort(error));
  const work = async () => {
    await Promise.all(known).catch((error: unknown) => failed.abort(error));
    const caches = {
      ...(isRun('openstack') && openstacks ? { OpenStack: openstacks } : {}),
      ...(isRun('service') && services ? { OpenStackService: services } : {}),
      ...(isRun('workload') && below ? { OpenStackWorkload: below.scales } : {}),
    };
    await publishSuspects({ journal, caches, publisher, now }, signal).catch((error: unknown) =>
      log.warn(`conditions of objects that are tried last: ${messageOf(error)}`),
    );
    await warnOfPolicy().catch((error: unknown) => log.warn(`the admission policy is unknown: ${messageOf(error)}`));
    ready.resolve();
    if (!signal.aborted) log.info('watching', { namespace, services: [...(services?.values() ?? [])].length });
    await Promise.all(Object.values(queues).map((queue) => queue.ended()));
  };
  // Also after SIGTERM and the loss of the Lease: a turn that never ends must not keep the process.
  using late = beat.watch(signal, (error) => failed.abort(error), GIVE_UP_MS);
  await Promise.race([work(), late.gaveUp]);
  failed.signal.throwIfAborted();
}

type WatchRest<T extends KubeObject> = Omit<Parameters<typeof watched<T>>[2], 'signal' | 'log'>;
