import type { Log } from '../../core/log.ts';
import { parseDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { Cache } from '../cache.ts';
import { conditionOf } from '../conditions.ts';
import { ChartError } from '../helm/chart.ts';
import { upgrade, type Helm } from '../helm/command.ts';
import { newestRelease, unlock, type Release } from '../helm/release.ts';
import { ValuesError } from '../helm/values.ts';
import { ownRef, type OpenStackService } from '../objects.ts';
import type { Publisher } from '../publish.ts';
import type { Handled } from '../queue.ts';
import { decide, type Step } from './decide.ts';
import { desiredOf, labelsFor, type Desired } from './desired.ts';
import { historyOf } from './history.ts';
import { Failures } from './failures.ts';
import { degraded, inProgress, observed, statusAfter, type Findings } from './status.ts';
import { podsProblem } from './pods.ts';
import { WORKLOAD_KINDS, workloadsState, type WorkloadKind, type WorkloadsState } from './workloads.ts';

export interface ServiceEffects {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The charts' directory or registry. */
  readonly charts: string;
  readonly helm: Helm;
  /** Identifies this process on the revisions that it has started. */
  readonly process: string;
  readonly publisher: Publisher;
  readonly services: Cache<OpenStackService>;
  /** Metadata of all Secrets. */
  readonly secrets: Cache<KubeObject>;
  readonly workloads: Readonly<Record<WorkloadKind, Cache<KubeObject>>>;
  readonly log: Log;
  readonly now: () => Date;
}

/** While Pods don't start, the reason is looked for at this interval: it changes nothing that is watched. */
const LOOK_MS = 30_000;

/** Reconciles OpenStackServices. What it remembers only saves requests; all decisions follow from the server's objects. */
export class ServiceReconciler {
  readonly #effects: ServiceEffects;
  readonly #failures = new Failures();
  /** The newest revisions, read once: by name, with the Secret's version. */
  readonly #releases = new Map<string, { readonly version: string; readonly release: Release | undefined }>();

  /** Helm's current runs: by name, with the generation of the object that each is about. */
  readonly #running = new Map<string, { readonly generation: number; readonly cancel: AbortController }>();

  constructor(effects: ServiceEffects) {
    this.#effects = effects;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Handled> {
    const service = this.#effects.services.get(name);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) return this.#forget(name);
    try {
      return await this.#reconcile(service, signal);
    } catch (error) {
      if (error instanceof ChartError) return await this.#fail(service, 'ChartNotFound', error.message, signal);
      if (error instanceof ValuesError) return await this.#fail(service, 'InvalidValues', error.message, signal);
      throw error;
    }
  }

  /**
   * Ends a Helm whose object has changed meanwhile: its Jobs may never succeed, and the change may be the fix. The Jobs
   * themselves go on; those of the next revision wait for their lock.
   */
  changed({ metadata: { name, generation } }: OpenStackService): void {
    const run = this.#running.get(name);
    if (run !== undefined && run.generation !== generation)
      run.cancel.abort(new Error('the object has changed during the operation'));
  }

  async #reconcile(service: OpenStackService, signal: AbortSignal): Promise<Handled> {
    const desired = await desiredOf(this.#effects.client, this.#effects.charts, service, signal);
    const release = await this.#cachedRelease(service, signal);
    const first = await this.#step(service, desired, release, signal);
    if (first.do === 'observe' && release !== undefined) return await this.#observe(service, desired, release, signal);
    if (service.spec.suspend === true) {
      const why = 'spec.suspend is true; the release is not what the object describes';
      await this.#publish(service, { ...inProgress('Suspended', 'Suspended', why), helm: release }, signal);
      return {};
    }
    return await this.#act(service.metadata, signal);
  }

  /** Decides again from what the server has now, and takes the step. */
  async #act({ namespace, name, uid }: OpenStackService['metadata'], signal: AbortSignal): Promise<Handled> {
    const { client, charts } = this.#effects;
    const service = await this.#read(namespace, name, signal);
    if (service?.metadata.uid !== uid || service.spec.suspend === true) return { againMs: 0 };
    const desired = await desiredOf(client, charts, service, signal);
    const release = await this.#freshRelease(service, signal);
    const step = await this.#step(service, desired, release, signal);
    switch (step.do) {
      case 'observe':
        return { againMs: 0 };
      case 'unlock':
        return await this.#unlock(service, release, signal);
      case 'wait': {
        const found = { ...inProgress('Pending', step.reason, step.why), helm: release };
        await this.#publish(service, found, signal);
        return { againMs: step.againMs };
      }
      case 'retry later':
        await this.#publish(service, { ...degraded('HelmFailed', step.why), helm: release }, signal);
        return { againMs: step.againMs };
      default:
        return await this.#run(service, desired, release, step, signal);
    }
  }

  async #step(
    service: OpenStackService,
    desired: Desired,
    newest: Release | undefined,
    signal: AbortSignal,
  ): Promise<Step> {
    const { secrets, publisher, now } = this.#effects;
    const later = this.#failures.pending(service.metadata.name, desired.digest);
    if (later !== undefined) return { do: 'retry later', ...later };
    const { attempted, failures } = historyOf(secrets.values(), service.metadata.name, newest);
    const missing = newest === undefined ? [] : await this.#missing(service, newest, signal);
    const timeoutMs = parseDuration(service.spec.timeout ?? '1h');
    const step = decide(desired, { newest, attempted, failures, missing, timeoutMs, now: now() });
    // The condition has Helm's whole error; its record may have less.
    const { message } = conditionOf(publisher.statusOf(service)?.conditions, 'Degraded') ?? {};
    return step.do === 'retry later' && message?.includes(step.why) === true ? { ...step, why: message } : step;
  }

  /** Objects of the deployed revision that were deleted; a completed Job may be. */
  async #missing(
    { metadata, ...rest }: OpenStackService,
    { objects, status }: Release,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (status !== 'deployed') return [];
    const { failedJobs = [] } = this.#effects.publisher.statusOf({ metadata, ...rest }) ?? {};
    const cached = await workloadsState(objects, this.#cachedWorkload);
    const deleted = failedJobs.filter(
      (job) => this.#cachedWorkload('Job', job) === undefined && objects.some(({ name }) => name === job),
    );
    if (cached.missing.length + deleted.length === 0) return [];
    const fresh = await workloadsState(objects, (kind, name) => this.#readWorkload(kind, name, signal));
    return [...fresh.missing, ...deleted.map((job) => `job/${job}`)];
  }

  async #unlock(service: OpenStackService, release: Release | undefined, signal: AbortSignal): Promise<Handled> {
    const { client, publisher, log } = this.#effects;
    if (release === undefined) return { againMs: 0 };
    const note = `revision ${release.revision} was interrupted while ${release.status}`;
    log.info(`${service.metadata.name}: ${note}: unlocked`);
    await unlock(client, service.metadata, release, signal);
    await publisher.event('OpenStackService', service, 'Normal', 'Unlocked', note, signal);
    return { againMs: 0 };
  }

  async #run(
    service: OpenStackService,
    desired: Desired,
    release: Release | undefined,
    step: Extract<Step, { do: 'install' | 'upgrade' | 'roll back' }>,
    signal: AbortSignal,
  ): Promise<Handled> {
    const { helm, publisher, log, process } = this.#effects;
    const { namespace, name } = service.metadata;
    const { chart, values, secrets } = desired;
    const [phase, reason] = PHASE_OF[step.do];
    const revision = (release?.revision ?? 0) + 1;
    const target = `chart ${chart.name}-${chart.version}${desired.release === undefined ? '' : `, release ${desired.release}`}`;
    const note = `revision ${revision} to ${target}: ${step.why}`;
    log.info(`${name}: ${step.do}: ${note}`);
    await this.#publish(service, { ...inProgress(phase, reason, note), helm: release }, signal);
    await publisher.event('OpenStackService', service, 'Normal', reason, note, signal);
    const labels = labelsFor(desired, process, revision);
    const timeout = service.spec.timeout ?? '1h';
    const withoutHooks = step.do === 'roll back';
    const what = { namespace, name, chart, values, secrets, labels, timeout, withoutHooks };
    const cancel = new AbortController();
    this.#running.set(name, { generation: service.metadata.generation, cancel });
    let failure: string | undefined;
    try {
      failure = await upgrade(helm, what, AbortSignal.any([signal, cancel.signal]), log.with({ service: name }));
    } catch (error) {
      if (!cancel.signal.aborted || signal.aborted) throw error;
      log.info(`${name}: ${step.do} cancelled: ${messageOf(error)}`);
      return { againMs: 0 };
    } finally {
      this.#running.delete(name);
    }
    this.#releases.delete(name);
    if (failure === undefined) {
      this.#failures.forget(name);
      return { againMs: 0 };
    }
    const after = await this.#freshRelease(service, signal);
    // Without a revision of its own there is no record of this failure but the condition.
    if (after?.revision !== revision) this.#failures.add(name, desired.digest, failure);
    log.error(`${name}: ${step.do} failed: ${failure}`);
    await this.#publish(service, { ...degraded('HelmFailed', failure), helm: after }, signal);
    return { againMs: 0 };
  }

  async #observe(service: OpenStackService, desired: Desired, release: Release, signal: AbortSignal): Promise<Handled> {
    const { client, publisher, namespace } = this.#effects;
    let state = await workloadsState(release.objects, this.#cachedWorkload);
    // Before a service becomes ready, the caches may be older than the step that was just taken.
    if (isReady(state) && !isReadyAlready(publisher.statusOf(service), service, release))
      state = await workloadsState(release.objects, (kind, name) => this.#readWorkload(kind, name, signal));
    let problem: string | undefined;
    for (const what of state.pending) {
      const [, kind = '', name = ''] = /^(\w+)\/([^:]+):/.exec(what) ?? [];
      const workload = this.#cachedWorkload(KIND_OF[kind] ?? 'Job', name);
      problem ??= workload && (await podsProblem(client, namespace, workload, signal));
    }
    await this.#publish(service, observed(release, state, desired.release, problem), signal);
    return { againMs: isReady(state) ? undefined : LOOK_MS };
  }

  async #fail(service: OpenStackService, reason: string, message: string, signal: AbortSignal): Promise<Handled> {
    await this.#publish(service, degraded(reason, message), signal);
    return { againMs: 60_000 };
  }

  async #publish(service: OpenStackService, findings: Findings, signal: AbortSignal): Promise<void> {
    const { publisher, now } = this.#effects;
    const before = publisher.statusOf(service);
    if (!(await publisher.write('OpenStackService', service, statusAfter(before, service, findings, now()), signal)))
      return;
    const { ready, degraded: bad } = findings;
    const [wasReady, was] = ['Ready', 'Degraded'].map((type) => conditionOf(before?.conditions, type));
    if (bad?.status === 'True' && (was?.status !== 'True' || was.message !== bad.message))
      await publisher.event('OpenStackService', service, 'Warning', bad.reason, bad.message, signal);
    if (ready.status === 'True' && wasReady?.status !== 'True')
      await publisher.event('OpenStackService', service, 'Normal', 'Ready', ready.message, signal);
  }

  readonly #cachedWorkload = (kind: WorkloadKind, name: string): KubeObject | undefined =>
    this.#effects.workloads[kind].get(name);

  async #readWorkload(kind: WorkloadKind, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { client, namespace } = this.#effects;
    return await orAbsent(client.get(objectPath({ ...WORKLOAD_KINDS[kind], namespace, name }), { signal }));
  }

  async #read(namespace: string, name: string, signal: AbortSignal): Promise<OpenStackService | undefined> {
    return await orAbsent(
      this.#effects.client.get(objectPath(ownRef('OpenStackService', namespace, name)), { signal }),
    );
  }

  async #cachedRelease(service: OpenStackService, signal: AbortSignal): Promise<Release | undefined> {
    const { name } = service.metadata;
    const { version } = historyOf(this.#effects.secrets.values(), name, undefined);
    const known = this.#releases.get(name);
    return known?.version === version ? known.release : await this.#freshRelease(service, signal);
  }

  async #freshRelease({ metadata }: OpenStackService, signal: AbortSignal): Promise<Release | undefined> {
    const { client, secrets } = this.#effects;
    const { revision, version } = historyOf(secrets.values(), metadata.name, undefined);
    const release = await newestRelease(client, metadata, revision, signal);
    this.#releases.set(metadata.name, { version, release });
    return release;
  }

  #forget(name: string): Handled {
    this.#releases.delete(name);
    this.#failures.forget(name);
    return {};
  }
}

const PHASE_OF = {
  install: ['Installing', 'Installing'],
  upgrade: ['Upgrading', 'Upgrading'],
  'roll back': ['RollingBack', 'RollingBack'],
} as const;

const KIND_OF: Readonly<Record<string, WorkloadKind>> = {
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
};

function isReady({ pending, failed, missing }: WorkloadsState): boolean {
  return pending.length + failed.length + missing.length === 0;
}

function isReadyAlready(
  status: OpenStackService['status'],
  { metadata }: OpenStackService,
  { revision }: Release,
): boolean {
  const { conditions, observedGeneration, helm } = status ?? {};
  const isTrue = conditionOf(conditions, 'Ready')?.status === 'True';
  return isTrue && observedGeneration === metadata.generation && helm?.revision === revision;
}

async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
