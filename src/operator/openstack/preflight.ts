import { upgradeStage } from '../../catalog/index.ts';
import type { Log } from '../../core/log.ts';
import type { KubeClient } from '../../kube/types.ts';
import { conditionOf, type Verdict } from '../conditions.ts';
import { ChartError } from '../helm/chart.ts';
import { upgrade, type Helm } from '../helm/command.ts';
import { ValuesError } from '../helm/values.ts';
import type { OpenStack, OpenStackService } from '../objects.ts';
import { desiredOf } from '../service/desired.ts';
import { openMigration } from '../service/migrations.ts';
import type { Wanted } from './plan.ts';

/** A chart that does not render is tried again after this time. */
export const RETRY_MS = 60_000;

interface Effects {
  readonly client: KubeClient;
  readonly charts: string;
  readonly helm: Helm;
  readonly log: Log;
}

interface Finding {
  readonly reason: 'NotReady' | 'MigrationUnfinished' | 'ChartFails';
  readonly message: string;
}

/** What must be true before an upgrade touches anything. What can't be known from here is not claimed. */
export class Preflight {
  readonly #effects: Effects;
  /** The result of the last dry run, by the digest of what was wanted. */
  readonly #rendered = new Map<string, { readonly problem: string | undefined; readonly until: number }>();

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** @returns the condition `Preflight` */
  async check(
    openstack: OpenStack,
    wanted: readonly Wanted[],
    existing: ReadonlyMap<string, OpenStackService>,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { release } = openstack.spec;
    const findings: Finding[] = wanted.flatMap(({ name, chart }) => {
      const { conditions, migrations } = existing.get(name)?.status ?? {};
      const ready = conditionOf(conditions, 'Ready');
      const open = openMigration(migrations, release);
      // Their readiness probes include that Galera is synced and that RabbitMQ's nodes are in the cluster.
      const isDown = upgradeStage(chart) === 0 && ready !== undefined && ready.status !== 'True';
      return [
        ...(isDown ? [{ reason: 'NotReady', message: `${name} is not ready: ${ready.message}` } as const] : []),
        ...(open === undefined ? [] : [{ reason: 'MigrationUnfinished', message: `${name}: ${open}` } as const]),
      ];
    });
    for (const one of wanted) {
      const problem = await this.#render(openstack, one, signal);
      if (problem !== undefined) findings.push({ reason: 'ChartFails', message: `${one.name}: ${problem}` });
    }
    const [first] = findings;
    if (first !== undefined)
      return { status: 'False', reason: first.reason, message: findings.map(({ message }) => message).join('; ') };
    const message = `${wanted.length} charts render with the values of ${release}, no migration is unfinished`;
    return { status: 'True', reason: 'Passed', message };
  }

  async #render(
    { metadata }: OpenStack,
    { name, spec, digest }: Wanted,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const known = this.#rendered.get(name + digest);
    if (known !== undefined && known.until > performance.now()) return known.problem;
    const problem = await this.#dryRun({ ...metadata, name }, spec, signal);
    if (problem !== undefined) this.#effects.log.warn(`${metadata.name}: preflight of ${name}: ${problem}`);
    this.#rendered.set(name + digest, { problem, until: performance.now() + RETRY_MS });
    return problem;
  }

  async #dryRun(
    metadata: OpenStackService['metadata'],
    spec: OpenStackService['spec'],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, charts, helm, log } = this.#effects;
    try {
      const desired = await desiredOf(client, charts, { metadata, spec }, {}, signal);
      const { namespace, name } = metadata;
      const terms = { labels: {}, timeout: '1m', withoutHooks: false, isDryRun: true };
      return await upgrade(helm, { namespace, name, ...desired, ...terms }, signal, log);
    } catch (error) {
      if (error instanceof ChartError || error instanceof ValuesError) return error.message;
      throw error;
    }
  }
}
