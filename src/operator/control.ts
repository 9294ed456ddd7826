/**
 * The controllers of kolla-operator.
 *
 *   WATCHES (watches.ts), of the controllers that run -> a cache each -> a change of an object -> the requests of its row ->
 *   a queue for each controller -> one turn of an object at a time -> reconcile, which reads the caches and writes to the server
 *
 * Turns begin when all caches are complete. A bug in one part ends all of it: the kubelet restarts the process.
 */
import { join } from 'node:path';
import type { Context } from '../cli/command.ts';
import type { Values } from '../cli/option.ts';
import { messageOf } from '../core/errors.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { Kind } from './api/objects.ts';
import { HELM_GRACE_MS, type Helm } from './helm/command.ts';
import { Journal } from './journal.ts';
import { reconcileOpenStack } from './openstack/reconcile.ts';
import { Preflight } from './openstack/preflight.ts';
import type { OPERATOR_OPTIONS } from './options.ts';
import { policyProblem } from './policy.ts';
import { turnOf, type Beat } from './runtime/beat.ts';
import { watched, type Cache } from './runtime/cache.ts';
import { Publisher } from './runtime/publish.ts';
import { WorkQueue, type Result } from './runtime/queue.ts';
import { ServiceReconciler } from './service/reconcile.ts';
import { publishSuspects } from './suspects.ts';
import { WATCHES, type Caches, type Controller, type WatchContext, type Watch } from './watches.ts';
import { reconcileWorkload } from './workload/reconcile.ts';

export interface Settings extends Omit<Values<typeof OPERATOR_OPTIONS>, 'controllers' | 'directory'> {
  readonly controllers: readonly Controller[];
  readonly directory: string;
  readonly process: string;
  readonly inherited: NodeJS.ProcessEnv;
  readonly beat: Beat;
}

/** A kind of object, and one turn of an object of it. */
interface Reconciler {
  readonly kind: Kind;
  readonly maxConcurrentReconciles: number;
  readonly reconcile: (name: string) => Promise<Result>;
}

const NOTHING: Cache<never> = { get: () => undefined, values: () => [] };

/** Time for all turns to end; the rest is for Helm's output. */
const GIVE_UP_MS = HELM_GRACE_MS + 5000;

/** Runs these controllers until `stop`, and then until the last Helm has ended. */
export async function control(
  client: KubeClient,
  settings: Settings,
  stop: AbortSignal,
  log: Context['log'],
): Promise<void> {
  const { beat, charts, controllers, directory, helm: file, inherited, kubeconfig, process } = settings;
  const { maxConcurrentReconciles } = settings;
  const { namespace } = client;
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  const publisher = new Publisher(client, process, log);
  const now = () => new Date();
  const limits = { ownMs: settings.helmDeadline, memoryBytes: settings.helmMemoryBytes };
  const helm: Helm = { file, kubeconfig, directory, inherited, limits };
  const journal = new Journal(join(directory, 'turns'), log);

  const known: Promise<void>[] = [];
  const watch = <T extends KubeObject>(row: Watch<T>): Cache<T> => {
    if (!row.for.some((controller) => controllers.includes(controller))) return NOTHING;
    const set = row.set(namespace);
    const name = `watch of ${set.resource}`;
    const onMoved = () => beat.watchMoved(name);
    onMoved();
    const onChange = (object: T) => {
      for (const request of row.requests(object, context)) queues[request.controller]?.add(request.name);
    };
    const { keep, metadataOnly = false } = row;
    const cache = watched<T>(client, set, { signal, log, keep, metadataOnly, onMoved, onChange });
    cache.ended.finally(() => beat.ended(name)).catch((error: unknown) => failed.abort(error));
    known.push(cache.known);
    return cache;
  };
  const news = new Map<string, unknown>();
  const caches: Caches = {
    openstacks: watch(WATCHES.openstacks),
    services: watch(WATCHES.services),
    scales: watch(WATCHES.scales),
    Deployment: watch(WATCHES.Deployment),
    StatefulSet: watch(WATCHES.StatefulSet),
    DaemonSet: watch(WATCHES.DaemonSet),
    Job: watch(WATCHES.Job),
    pods: watch(WATCHES.pods),
    secrets: watch(WATCHES.secrets),
    configMaps: watch(WATCHES.configMaps),
    leases: watch(WATCHES.leases),
  };
  const context: WatchContext = {
    caches,
    isNews: (object, value) => news.get(object) !== value && news.set(object, value) !== undefined,
    usersOf: (migration) => service.usersOf(migration),
    changed: (one) => service.changed(one),
  };
  const preflight = new Preflight({ client, charts, helm, beat, log });
  const shared = { client, publisher, now, log };
  const service = new ServiceReconciler({
    ...shared,
    ...caches,
    namespace,
    charts,
    helm,
    beat,
    process,
    workloads: caches,
  });
  const reconcilers: Readonly<Record<Controller, Reconciler>> = {
    openstack: {
      kind: 'OpenStack',
      maxConcurrentReconciles: 1,
      reconcile: async (name) => await reconcileOpenStack(name, { ...shared, ...caches, preflight }, signal),
    },
    service: {
      kind: 'OpenStackService',
      maxConcurrentReconciles,
      reconcile: async (name) => await service.reconcile(name, signal),
    },
    workload: {
      kind: 'OpenStackWorkload',
      maxConcurrentReconciles,
      reconcile: async (name) => await reconcileWorkload(name, { ...shared, ...caches, workloads: caches }, signal),
    },
  };
  // Names are queued before the caches are complete, and handled afterwards.
  const ready = Promise.withResolvers<void>();
  const queueOf = ({ kind, maxConcurrentReconciles: max, reconcile }: Reconciler) =>
    new WorkQueue({
      handle: async (name) => {
        await ready.promise;
        const turn = turnOf(kind, name);
        beat.moved(turn);
        journal.begin(kind, name);
        let handled: Result | undefined;
        try {
          return (handled = await reconcile(name));
        } finally {
          beat.ended(turn);
          journal.end(kind, name, handled?.requeueAfterMs === 0);
        }
      },
      isLast: (name) => journal.isSuspect(kind, name),
      signal,
      maxConcurrentReconciles: max,
      onError: (name, error, requeueAfterMs) =>
        log.error(`${kind} ${name}: ${messageOf(error)}; again in ${Math.round(requeueAfterMs / 1000)}s`),
    });
  const queues: Partial<Record<Controller, WorkQueue>> = Object.fromEntries(
    controllers.map((name) => [name, queueOf(reconcilers[name])]),
  );

  /** Once per start, in the log and on each OpenStack: nothing else shows that values are open to more users. */
  async function warnOfPolicy(): Promise<void> {
    const problem = await policyProblem(client, signal);
    if (problem === undefined) return;
    log.warn(problem);
    for (const cloud of caches.openstacks.values())
      await publisher.event('OpenStack', cloud, 'Warning', 'NoAdmissionPolicy', problem, signal);
  }

  const work = async () => {
    await Promise.all(known).catch((error: unknown) => failed.abort(error));
    const own = { openstack: caches.openstacks, service: caches.services, workload: caches.scales };
    const suspects = Object.fromEntries(controllers.map((name) => [reconcilers[name].kind, own[name]]));
    await publishSuspects({ journal, caches: suspects, publisher, now }, signal).catch((error: unknown) =>
      log.warn(`conditions of objects that are tried last: ${messageOf(error)}`),
    );
    await warnOfPolicy().catch((error: unknown) => log.warn(`the admission policy is unknown: ${messageOf(error)}`));
    ready.resolve();
    if (!signal.aborted) log.info('watching', { namespace, services: [...caches.services.values()].length });
    await Promise.all(Object.values(queues).map((queue) => queue.ended()));
  };
  // Also after SIGTERM and the loss of the Lease: a turn that never ends must not keep the process.
  using late = beat.watch(signal, (error) => failed.abort(error), GIVE_UP_MS);
  await Promise.race([work(), late.gaveUp]);
  failed.signal.throwIfAborted();
}
