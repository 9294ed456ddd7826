import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { KubeClient } from '../../kube/types.ts';
import { turnOf, type Beat } from '../runtime/beat.ts';
import type { Cache } from '../runtime/cache.ts';
import { upgrade, type Helm, type Upgrade } from '../helm/command.ts';
import type { HelmGuard } from '../helm/guard.ts';
import type { OpenStackService } from '../api/objects.ts';
import type { Failure } from './failures.ts';
import { hooksState } from './pods.ts';
import { degraded, FINE, type Findings } from './status.ts';

interface Effects {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly helm: Helm;
  readonly beat: Beat;
  readonly services: Cache<OpenStackService>;
  readonly log: Log;
  readonly publish: (service: OpenStackService, findings: Findings, signal: AbortSignal) => Promise<void>;
}

/** One run, with the object that it is about. */
interface Run {
  readonly object: OpenStackService['metadata'];
  readonly cancel: AbortController;
  guard?: HelmGuard;
  /** The hooks that were seen. */
  readonly jobs: Set<string>;
  /** What keeps its Jobs waiting. */
  problem?: string | undefined;
}

/** While Pods don't start, the reason is looked for at this interval: it changes nothing that is watched. */
export const LOOK_MS = 30_000;

/** How Helm has ended. */
export type Outcome = { readonly is: 'done' } | { readonly is: 'cancelled' } | ({ readonly is: 'failed' } & Failure);

/** Helm's current runs for services, by name. */
export class HelmRuns {
  readonly #effects: Effects;
  readonly #runs = new Map<string, Run>();

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /**
   * Ends a Helm whose object has changed or was re-created meanwhile: its Jobs may never succeed, and the change may be the
   * fix. The Jobs themselves go on; those of the next revision wait for their lock.
   */
  changed({ metadata: { name, uid, generation } }: OpenStackService): void {
    const run = this.#runs.get(name);
    if (run === undefined || (run.object.uid === uid && run.object.generation === generation)) return;
    run.cancel.abort(new Error('the object has changed during the operation'));
  }

  /**
   * Runs Helm.
   * @param begun shown as long as nothing keeps the Jobs of this revision waiting
   * @throws the signal's reason
   */
  async upgrade(
    service: OpenStackService,
    what: Upgrade,
    { revision, begun }: { readonly revision: number; readonly begun: Findings },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { helm, beat, services, log } = this.#effects;
    const { name, uid, generation } = service.metadata;
    const run: Run = { object: service.metadata, cancel: new AbortController(), jobs: new Set() };
    this.#runs.set(name, run);
    // changed() knew of no run yet.
    const known = services.get(name)?.metadata;
    if (known !== undefined && (known.uid !== uid || known.generation > generation))
      run.cancel.abort(new Error('the object has changed before the operation'));
    const stop = AbortSignal.any([signal, run.cancel.signal]);
    let looked = Promise.resolve();
    const looking = setInterval(() => {
      looked = this.#look(service, run, revision, begun, stop);
    }, LOOK_MS);
    try {
      const onGuard = (guard: HelmGuard) => {
        run.guard = guard;
        beat.moved(turnOf('OpenStackService', name), guard.limitMs);
      };
      const why = await upgrade(helm, { ...what, onGuard }, stop, log.with({ service: name }));
      if (why === undefined) return { is: 'done' };
      return { is: 'failed', why, reason: run.guard?.problem === undefined ? 'HelmFailed' : 'HelmKilled' };
    } catch (error) {
      signal.throwIfAborted();
      // A Helm that did not start: the status says that it runs.
      if (!run.cancel.signal.aborted) return { is: 'failed', why: messageOf(error), reason: 'HelmFailed' };
      log.info(`${name}: cancelled: ${messageOf(error)}`);
      return { is: 'cancelled' };
    } finally {
      clearInterval(looking);
      beat.moved(turnOf('OpenStackService', name));
      this.#runs.delete(name);
      await looked;
    }
  }

  /** Shows why the Jobs that Helm waits for do not start, until they do. Each Job has Helm's whole timeout. */
  async #look(
    service: OpenStackService,
    run: Run,
    revision: number,
    begun: Findings,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace, beat, publish, log } = this.#effects;
    const { name } = service.metadata;
    try {
      const { jobs, problem } = await hooksState(client, namespace, name, revision, signal);
      if (this.#runs.get(name) !== run) return;
      if (run.guard !== undefined && jobs.some((job) => !run.jobs.has(job))) {
        run.guard.extend();
        beat.moved(turnOf('OpenStackService', name), run.guard.limitMs);
      }
      for (const job of jobs) run.jobs.add(job);
      if (problem === run.problem) return;
      const found = problem === undefined ? { ...begun, degraded: FINE } : degraded('PodsFailing', problem);
      await publish(service, found, signal);
      run.problem = problem;
    } catch (error) {
      if (!signal.aborted) log.warn(`${name}: ${messageOf(error)}`);
    }
  }
}
