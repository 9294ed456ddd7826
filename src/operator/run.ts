import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, type ExitCode } from '../core/errors.ts';
import type { Context } from '../cli/command.ts';
import type { Values } from '../cli/option.ts';
import { lazyKube, kubeSource } from '../kube/source.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import { watched } from './cache.ts';
import { electionLease, lead, processName } from './elect.ts';
import { revisionOf } from './helm/release.ts';
import { ownSet, type OpenStack, type OpenStackService } from './objects.ts';
import { reconcileOpenStack } from './openstack/reconcile.ts';
import { CONTROLLERS, type OPERATOR_OPTIONS } from './options.ts';
import { Publisher } from './publish.ts';
import { WorkQueue, type Handled } from './queue.ts';
import { ServiceReconciler } from './service/reconcile.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from './service/workloads.ts';

type Options = Values<typeof OPERATOR_OPTIONS>;

/** Waits for the Lease, then runs the controllers until the signal. @throws UnavailableError if the Lease is lost */
export async function runOperator(options: Options, { signal, log, inherited }: Context): Promise<ExitCode> {
  using kube = lazyKube(() => kubeSource(options.kubeconfig, inherited), options.namespace);
  const client = await kube.get();
  const directory = join(options.directory, 'kolla-operator');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const process = processName();
  const controllers = options.controllers.length === 0 ? CONTROLLERS : [...new Set(options.controllers)];
  const lease = electionLease(client.namespace, controllers, CONTROLLERS);
  log.info(`waiting for Lease ${lease.namespace}/${lease.name}`, { controllers });
  await using held = await lead(client, lease, process, signal, log);
  log.info(`leading, Lease ${lease.namespace}/${lease.name}`);
  const stop = AbortSignal.any([signal, held.lost]);
  // Ends when the Lease is lost or at SIGTERM, after the last Helm has ended; only then is the Lease released.
  await control(client, { ...options, controllers, directory, process, inherited }, stop, log);
  stop.throwIfAborted();
  return 0;
}

interface Settings extends Omit<Options, 'controllers'> {
  readonly controllers: readonly (typeof CONTROLLERS)[number][];
  readonly process: string;
  readonly inherited: NodeJS.ProcessEnv;
}

async function control(client: KubeClient, settings: Settings, stop: AbortSignal, log: Context['log']): Promise<void> {
  const { charts, controllers, directory, helm: file, inherited, kubeconfig, process } = settings;
  const { namespace } = client;
  // A bug in one part ends the others too: the kubelet restarts the process.
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  const publisher = new Publisher(client, process, log);
  const now = () => new Date();
  const queueOf = (name: string, handle: (key: string) => Promise<Handled>, atOnce: number) =>
    new WorkQueue({
      handle,
      signal,
      atOnce,
      onError: (key, error, againMs) =>
        log.error(`${name} ${key}: ${messageOf(error)}; again in ${Math.round(againMs / 1000)}s`),
    });
  const isRun = (controller: (typeof CONTROLLERS)[number]) => controllers.includes(controller);
  const endings: Promise<void>[] = [];
  const known: Promise<void>[] = [];
  const watch = <T extends KubeObject>(...[ref, rest]: [Parameters<typeof watched<T>>[1], WatchRest<T>]) => {
    const cache = watched<T>(client, ref, { signal, log, ...rest });
    endings.push(cache.ended);
    known.push(cache.known);
    return cache;
  };
  // Keys are queued before the caches are complete, and handled afterwards.
  const ready = Promise.withResolvers<void>();
  const queues = {
    openstack: queueOf('OpenStack', async (key) => (await ready.promise, await reconcile.openstack(key)), 1),
    service: queueOf(
      'OpenStackService',
      async (key) => (await ready.promise, await reconcile.service(key)),
      settings.atOnce,
    ),
  };
  const toAllOpenStacks = () => {
    for (const { metadata } of openstacks.values()) queues.openstack.add(metadata.name);
  };
  const services = watch<OpenStackService>(ownSet('OpenStackService', namespace), {
    keep: withoutManagers,
    onChange: (object) => {
      service?.changed(object);
      if (isRun('service')) queues.service.add(object.metadata.name);
      if (isRun('openstack')) toAllOpenStacks();
    },
  });
  const openstacks = watch<OpenStack>(ownSet('OpenStack', namespace), {
    keep: withoutManagers,
    onChange: ({ metadata }) => isRun('openstack') && queues.openstack.add(metadata.name),
  });
  const usersOf = (kind: 'Secret' | 'ConfigMap', name: string) => {
    for (const { metadata, spec } of services.values())
      if (spec.valuesFrom?.some((source) => source.kind === kind && source.name === name))
        queues.service.add(metadata.name);
  };
  const service = isRun('service') ? serviceParts() : undefined;
  const reconcile = {
    openstack: (key: string) => reconcileOpenStack(key, { client, publisher, openstacks, services, log, now }, signal),
    service: async (key: string) => (await service?.reconcile(key, signal)) ?? {},
  };

  function serviceParts(): ServiceReconciler {
    const secrets = watch<KubeObject>(
      { group: '', version: 'v1', resource: 'secrets', namespace },
      {
        metadataOnly: true,
        keep: withoutManagers,
        onChange: (secret) => {
          const release = revisionOf(secret);
          if (release === undefined) usersOf('Secret', secret.metadata.name);
          else if (services.get(release.name) !== undefined) queues.service.add(release.name);
        },
      },
    );
    watch<KubeObject>(
      { group: '', version: 'v1', resource: 'configmaps', namespace },
      { metadataOnly: true, keep: withoutManagers, onChange: ({ metadata }) => usersOf('ConfigMap', metadata.name) },
    );
    const workloadsOf = (kind: WorkloadKind) =>
      watch<KubeObject>(
        // Helm sets this label and the annotation on the objects of every release, whoever has installed it.
        { ...WORKLOAD_KINDS[kind], namespace, labelSelector: 'app.kubernetes.io/managed-by=Helm' },
        {
          keep: stateOnly,
          onChange: ({ metadata }) => {
            const name = metadata.annotations?.['meta.helm.sh/release-name'];
            if (name !== undefined && services.get(name) !== undefined) queues.service.add(name);
          },
        },
      );
    const workloads = {
      Deployment: workloadsOf('Deployment'),
      StatefulSet: workloadsOf('StatefulSet'),
      DaemonSet: workloadsOf('DaemonSet'),
      Job: workloadsOf('Job'),
    };
    const helm = { file, kubeconfig, directory, inherited };
    const effects = { client, namespace, charts, helm, process, publisher, services, secrets, workloads, log, now };
    return new ServiceReconciler(effects);
  }

  for (const ending of endings) ending.catch((error: unknown) => failed.abort(error));
  await Promise.all(known).catch((error: unknown) => failed.abort(error));
  ready.resolve();
  if (!signal.aborted) log.info('watching', { namespace, services: [...services.values()].length });
  await Promise.all([queues.openstack.ended(), queues.service.ended()]);
  failed.signal.throwIfAborted();
}

type WatchRest<T extends KubeObject> = Omit<Parameters<typeof watched<T>>[2], 'signal' | 'log'>;

/** managedFields are larger than the rest of many objects. */
function withoutManagers<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}

/** A workload without its Pod template. */
function stateOnly(object: KubeObject): KubeObject {
  const { template: _, ...spec } = (object as { spec?: { template?: unknown } }).spec ?? {};
  return { ...withoutManagers(object), spec } as KubeObject;
}
