import type { Log } from '../../core/log.ts';
import { parseDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { redactor } from '../../core/redact.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { Beat } from '../runtime/beat.ts';
import type { Cache } from '../runtime/cache.ts';
import { conditionOf } from '../api/conditions.ts';
import type { Helm } from '../helm/command.ts';
import { hasTemplate, publicError, withoutPrefix } from '../helm/public-error.ts';
import { unlock, type Release } from '../helm/release.ts';
import { takeOver } from '../helm/take-over.ts';
import type { OpenStack, OpenStackService, OpenStackWorkload } from '../api/objects.ts';
import type { Publisher } from '../runtime/publish.ts';
import type { Result } from '../runtime/queue.ts';
import { Ages } from './ages.ts';
import { decide, type Step } from './decide.ts';
import { desiredOf, labelsFor, type Desired } from './desired.ts';
import { historyOf } from './history.ts';
import { withJobReason } from './failed-hook.ts';
import { Failures } from './failures.ts';
import { requireOwnRelease } from './foreign.ts';
import { HelmRuns, LOOK_MS } from './helm-runs.ts';
import { reasonOf } from './objections.ts';
import {
  degraded,
  inProgress,
  isReady,
  isReadyAlready,
  observed,
  PHASE_OF,
  statusAfter,
  SUSPENDED,
  type Findings,
} from './status.ts';
import { noWayBack } from './migrations.ts';
import { ensureScales } from './own-workloads.ts';
import { ServiceReads } from './reads.ts';
import { isReplicated } from './scale.ts';
import { WORKLOAD_KINDS, workloadsState, type WorkloadKind } from './workloads.ts';

export interface ServiceEffects {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The charts' directory or registry. */
  readonly charts: string;
  readonly helm: Helm;
  readonly beat: Beat;
  /** Identifies this process on the revisions that it has started. */
  readonly process: string;
  readonly publisher: Publisher;
  readonly services: Cache<OpenStackService>;
  readonly openstacks: Cache<OpenStack>;
  /** Metadata of all Secrets. */
  readonly secrets: Cache<KubeObject>;
  readonly workloads: Readonly<Record<WorkloadKind, Cache<KubeObject>>>;
  /** Metadata of all Leases. */
  readonly leases: Cache<KubeObject>;
  readonly scales: Cache<OpenStackWorkload>;
  readonly log: Log;
  readonly now: () => Date;
}

/** When the caches are older than the server: their next event comes first, unless their watch has stalled. */
const STALE_MS = 1000;

/** Reconciles OpenStackServices. What it remembers only saves requests; all decisions follow from the server's objects. */
export class ServiceReconciler {
  readonly #effects: ServiceEffects;
  readonly #failures = new Failures();
  readonly #ages = new Ages();
  readonly #reads: ServiceReads;
  readonly #runs: HelmRuns;

  constructor(effects: ServiceEffects) {
    this.#effects = effects;
    this.#reads = new ServiceReads(effects);
    this.#runs = new HelmRuns({ ...effects, publish: async (...all) => await this.#publish(...all) });
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const service = this.#effects.services.get(name);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) return this.#forget(name);
    try {
      return await this.#reconcile(service, signal);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      await this.#publish(service, degraded(reason, messageOf(error)), signal);
      return { requeueAfterMs: 60_000 };
    }
  }

  /** Ends a Helm that is not about this state of the object. A suspended service is left alone. */
  changed(service: OpenStackService): void {
    if (!this.#reads.isSuspended(service)) this.#runs.changed(service);
  }

  /** The services whose state the Lease of a migration changes. */
  usersOf(migration: string): string[] {
    const names = [...this.#effects.services.values()].map(({ metadata }) => metadata.name);
    return names.filter((name) => this.#reads.hasMigration(name, migration));
  }

  async #reconcile(service: OpenStackService, signal: AbortSignal): Promise<Result> {
    const { client, charts } = this.#effects;
    const release = await this.#reads.cachedRelease(service.metadata.name, signal);
    const desired = await desiredOf(client, charts, service, this.#reads.cachedScale(release), signal);
    const first = await this.#step(service, desired, release, signal);
    if (first.do === 'observe' && release !== undefined) return await this.#observe(service, desired, release, signal);
    if (this.#reads.isSuspended(service)) {
      await this.#publish(service, { ...SUSPENDED, helm: release }, signal);
      return {};
    }
    return await this.#act(service.metadata, signal);
  }

  /** Decides again from what the server has now, and takes the step. */
  async #act({ name, uid }: OpenStackService['metadata'], signal: AbortSignal): Promise<Result> {
    const { client, charts } = this.#effects;
    const service = await this.#reads.service(name, signal);
    if (service?.metadata.uid !== uid || this.#reads.isSuspended(service)) return { requeueAfterMs: STALE_MS };
    const release = await this.#reads.release(service.metadata.name, signal);
    const desired = await desiredOf(client, charts, service, await this.#reads.scale(release, signal), signal);
    const step = await this.#step(service, desired, release, signal);
    switch (step.do) {
      case 'observe':
        return { requeueAfterMs: STALE_MS };
      case 'unlock':
        return await this.#unlock(service, release, signal);
      case 'wait': {
        const found = { ...inProgress('Pending', step.reason, step.why), helm: release };
        await this.#publish(service, found, signal);
        return { requeueAfterMs: step.requeueAfterMs };
      }
      case 'retry later':
        await this.#publish(service, { ...degraded(step.reason, step.why), helm: release }, signal);
        return { requeueAfterMs: step.requeueAfterMs };
      case 'roll back': {
        const { migrations } = this.#effects.publisher.statusOf(service) ?? {};
        const why = noWayBack(await this.#reads.migrations(release, migrations, signal), desired.release);
        if (why !== undefined) {
          await this.#publish(service, { ...degraded('RollbackRefused', why), helm: release }, signal);
          return {};
        }
        return await this.#run(service, desired, release, step, signal);
      }
      case 'install':
      case 'upgrade':
        return await this.#run(service, desired, release, step, signal);
    }
  }

  async #step(
    service: OpenStackService,
    desired: Desired,
    newest: Release | undefined,
    signal: AbortSignal,
  ): Promise<Step> {
    requireOwnRelease(newest, desired);
    const { secrets, publisher, now } = this.#effects;
    const later = this.#failures.pending(service.metadata.name, desired.digest);
    if (later !== undefined) return { do: 'retry later', ...later };
    const { attempted, failures } = historyOf(secrets.values(), service.metadata.name, newest);
    const { failedJobs = [], conditions, release } = publisher.statusOf(service) ?? {};
    const missing = newest === undefined ? [] : await this.#reads.missing(newest, failedJobs, signal);
    const timeoutMs = parseDuration(service.spec.timeout ?? '1h', Infinity);
    const ageMs = newest === undefined ? 0 : this.#ages.ageMs(service.metadata.name, newest, now());
    const facts = { newest, attempted: [...attempted, release], failures, missing, timeoutMs, ageMs };
    const step = decide(desired, facts);
    if (step.do !== 'retry later') return step;
    // Helm's record has secrets, and may have less than the whole error, which the condition has.
    const why = publicError(redactor(desired.secrets)(withoutPrefix(step.why)), desired.values);
    const { message } = conditionOf(conditions, 'Degraded') ?? {};
    return { ...step, why: message?.includes(why) === true ? message : why };
  }

  async #unlock(service: OpenStackService, release: Release | undefined, signal: AbortSignal): Promise<Result> {
    const { client, publisher, log } = this.#effects;
    if (release === undefined) return { requeueAfterMs: 0 };
    const note = `revision ${release.revision}, ${release.status}, was interrupted`;
    log.info(`${service.metadata.name}: ${note}: unlocked`);
    await unlock(client, service.metadata, release, signal);
    await publisher.event('OpenStackService', service, 'Normal', 'Unlocked', note, signal);
    return { requeueAfterMs: 0 };
  }

  async #run(
    service: OpenStackService,
    desired: Desired,
    release: Release | undefined,
    step: Extract<Step, { do: 'install' | 'upgrade' | 'roll back' }>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { client, publisher, log, process } = this.#effects;
    const { namespace, name } = service.metadata;
    const { chart, values, secrets } = desired;
    const [phase, reason] = PHASE_OF[step.do];
    const revision = (release?.revision ?? 0) + 1;
    const target = `chart ${chart.name}-${chart.version}${desired.release === undefined ? '' : `, release ${desired.release}`}`;
    const note = `revision ${revision} to ${target}: ${step.why}`;
    log.info(`${name}: ${step.do}: ${note}`);
    const begun = { ...inProgress(phase, reason, note), helm: release };
    await this.#publish(service, begun, signal);
    await publisher.event('OpenStackService', service, 'Normal', reason, note, signal);
    const labels = labelsFor(desired, process, revision);
    const timeout = service.spec.timeout ?? '1h';
    // Client-side apply has no conflicts, and Helm rejects the flag.
    const forceConflicts = desired.forceConflicts && release?.isServerSide === true;
    const terms = { labels, timeout, withoutHooks: step.withoutHooks ?? false, forceConflicts };
    const what = { namespace, name, chart, values, secrets, ...terms };
    const outcome = await this.#runs.upgrade(service, what, { revision, begun }, signal);
    if (outcome.is === 'cancelled') return { requeueAfterMs: 0 };
    this.#reads.forget(name);
    if (outcome.is === 'done') {
      this.#failures.forget(name);
      return { requeueAfterMs: 0 };
    }
    const isWhole = !hasTemplate(values);
    const why = redactor(secrets)(await withJobReason(client, namespace, outcome.why, isWhole, signal));
    log.error(`${name}: ${step.do} failed: ${why}`);
    this.#failures.add(name, desired.digest, { reason: outcome.reason, why });
    const after = await this.#reads.release(service.metadata.name, signal);
    // Without a revision of its own there is no record of this failure but ours. One that Helm has left pending, or
    // whose context was canceled when it was killed, would count as interrupted, and so be repeated at once.
    const isRecorded = after?.revision === revision && !after.status.startsWith('pending-');
    if (isRecorded && outcome.reason !== 'HelmKilled') this.#failures.forget(name);
    await this.#publish(service, { ...degraded(outcome.reason, why), helm: after }, signal);
    return { requeueAfterMs: 0 };
  }

  async #observe(service: OpenStackService, desired: Desired, release: Release, signal: AbortSignal): Promise<Result> {
    const { client, publisher } = this.#effects;
    let state = await workloadsState(release.objects, this.#reads.cachedWorkload);
    // Before a service becomes ready, the caches may be older than the step that was just taken.
    if (isReady(state) && !isReadyAlready(publisher.statusOf(service), service, release))
      state = await workloadsState(release.objects, (kind, name) => this.#reads.workload(kind, name, signal));
    const found = observed(release, state, desired.release, await this.#reads.problem(state, signal));
    try {
      // Before it is published: who has waited for Ready finds them.
      if (!this.#reads.isSuspended(service) && release.status === 'deployed') {
        await ensureScales(client, service, release.objects, this.#effects.scales, signal);
        // What a person had set is what the values say now.
        if (conditionOf(publisher.statusOf(service)?.conditions, 'Conflict')?.status === 'True')
          for (const { kind, name } of release.objects.filter(isReplicated))
            await takeOver(client, { ...WORKLOAD_KINDS[kind], namespace: service.metadata.namespace, name }, signal);
      }
    } catch (error) {
      // Conflict stays, since the next turn takes over only where it is True.
      const failed = degraded('TakeOverFailed', messageOf(error));
      await this.#publish(service, { ...found, ...failed }, signal);
      throw error;
    }
    await this.#publish(service, found, signal);
    return { requeueAfterMs: isReady(state) ? undefined : LOOK_MS };
  }

  async #publish(service: OpenStackService, findings: Findings, signal: AbortSignal): Promise<void> {
    const { publisher, now } = this.#effects;
    const before = publisher.statusOf(service);
    const migrations = this.#reads.cachedMigrations(service.metadata.name, before?.migrations);
    const status = statusAfter(before, service, { ...findings, migrations }, now());
    if (!(await publisher.write('OpenStackService', service, status, signal))) return;
    const { ready, degraded: bad } = findings;
    const [wasReady, was] = ['Ready', 'Degraded'].map((type) => conditionOf(before?.conditions, type));
    if (bad?.status === 'True' && (was?.status !== 'True' || was.message !== bad.message))
      await publisher.event('OpenStackService', service, 'Warning', bad.reason, bad.message, signal);
    if (ready.status === 'True' && wasReady?.status !== 'True')
      await publisher.event('OpenStackService', service, 'Normal', 'Ready', ready.message, signal);
  }

  #forget(name: string): Result {
    this.#reads.forget(name);
    this.#failures.forget(name);
    this.#ages.forget(name);
    return {};
  }
}
