import { knownRelease, serviceNamed, upgradesFrom, upgradeStage } from '../../catalog/index.ts';
import type { Log } from '../../core/log.ts';
import { isMapping } from '../../core/mapping.ts';
import type { KubeClient } from '../../kube/types.ts';
import { turnOf, type Beat } from '../runtime/beat.ts';
import { conditionOf, type ConditionUpdate } from '../api/conditions.ts';
import { ChartError } from '../helm/chart.ts';
import { dryRun, template, type Helm } from '../helm/command.ts';
import { documentsIn } from '../helm/documents.ts';
import { imagesIn, type Images } from '../helm/images.ts';
import { merge, ValuesError } from '../helm/values.ts';
import type { OpenStack, OpenStackService } from '../api/objects.ts';
import { desiredOf } from '../service/desired.ts';
import { openMigration } from '../service/migrations.ts';
import { isNewer, type DesiredService } from './plan.ts';
import { pullImages, type Pulled } from './pull.ts';
import type { Rendered } from './upgrade-check.ts';
import { UpgradeChecks } from './upgrade-checks.ts';

/** A chart that does not render is tried again after this time. */
const RETRY_MS = 60_000;
/** How long one that does is not rendered again. */
const RENDERED_MS = 10 * 60_000;
/** A chart renders in a second or two. */
const RENDERING_MS = 60_000;

/** The Pod that pulls images is looked at again after this time. */
const PULL_MS = 10_000;
/** The same for the Jobs of upgrade checks. */
const CHECK_MS = 3000;

/** The reason of a condition that is true, and says more. */
export const WITH_WARNINGS = 'PassedWithWarnings';

/** When to check again without an event; undefined if the check has passed, or was not made. */
export function requeueAfterMs(checked: ConditionUpdate | undefined): number | undefined {
  if (checked === undefined || checked.status === 'True') return undefined;
  if (checked.reason === 'Checking') return CHECK_MS;
  return checked.status === 'Unknown' || checked.reason === 'ImageMissing' ? PULL_MS : RETRY_MS;
}

const NOTHING = { images: [], pullSecrets: [], check: [] } as const;

interface Effects {
  readonly client: KubeClient;
  readonly charts: string;
  readonly helm: Helm;
  readonly beat: Beat;
  readonly log: Log;
}

interface Finding {
  readonly reason:
    | 'ReleaseSkipped'
    | 'NotReady'
    | 'MigrationUnfinished'
    | 'ChartFails'
    | 'ImageMissing'
    | 'UpgradeCheckFailed';
  readonly message: string;
}

/** The result of a dry run. */
interface DryRun extends Images {
  readonly problem: string | undefined;
  /** The objects of its upgrade check. */
  readonly check: readonly Rendered[];
}

/** What must be true before an upgrade touches anything. What can't be known from here is not claimed. */
export class Preflight {
  readonly #effects: Effects;
  /** The result of each service's last dry run. */
  readonly #rendered = new Map<string, DryRun & { readonly id: string; readonly until: number }>();
  readonly #checks: UpgradeChecks;
  /** The images that a node has pulled. */
  #pulled = '';

  constructor(effects: Effects) {
    this.#effects = effects;
    this.#checks = new UpgradeChecks(effects.client);
  }

  /** @returns the condition `Preflight` */
  async check(
    openstack: OpenStack,
    wanted: readonly DesiredService[],
    existing: ReadonlyMap<string, OpenStackService>,
    signal: AbortSignal,
  ): Promise<ConditionUpdate> {
    const { release } = openstack.spec;
    const findings: Finding[] = wanted.flatMap(({ name, chart }) => {
      const { conditions, migrations, heldJobs = [], release: from } = existing.get(name)?.status ?? {};
      const ready = conditionOf(conditions, 'Ready');
      const open =
        heldJobs.length === 0
          ? openMigration(migrations, release)
          : `${heldJobs.join(', ')} of ${from} is suspended: set the release back to ${from} and remove upgrade.pauseBefore`;
      // Their readiness probes include that Galera is synced and that RabbitMQ's nodes are in the cluster.
      const isDown = upgradeStage(chart) === 0 && ready !== undefined && ready.status !== 'True';
      const skipped = skippedTo(release, chart, from);
      return [
        ...(skipped === undefined ? [] : [{ reason: 'ReleaseSkipped', message: `${name}: ${skipped}` } as const]),
        ...(isDown ? [{ reason: 'NotReady', message: `${name} is not ready: ${ready.message}` } as const] : []),
        ...(open === undefined ? [] : [{ reason: 'MigrationUnfinished', message: `${name}: ${open}` } as const]),
      ];
    });
    const pulls: DryRun[] = [];
    const begun = performance.now();
    for (const one of wanted) {
      // Other charts hang, too, if a registry or the API server does: that is shown before each has its deadline.
      if (pulls.at(-1)?.problem !== undefined && performance.now() - begun > RENDERING_MS) break;
      this.#effects.beat.moved(turnOf('OpenStack', openstack.metadata.name));
      const hasCheck = isChecked(openstack, one, existing.get(one.name));
      const rendered = await this.#render(openstack, one, hasCheck, signal);
      pulls.push(rendered);
      if (rendered.problem !== undefined)
        findings.push({ reason: 'ChartFails', message: `${one.name}: ${rendered.problem}` });
    }
    const pulled =
      findings.length === 0 && openstack.spec.upgrade?.checkImages === true
        ? await this.#pull(openstack, pulls, signal)
        : undefined;
    if (pulled?.is === 'failed') findings.push({ reason: 'ImageMissing', message: pulled.why });
    const isOpen = findings.length === 0 && pulled?.is !== 'pending';
    const services = wanted.map(({ name, digest }, i) => ({ name, digest, rendered: pulls[i]?.check ?? [] }));
    const { failed, running, warnings } = await this.#checks.run(openstack, isOpen ? services : [], signal);
    findings.push(...failed.map((message) => ({ reason: 'UpgradeCheckFailed', message }) as const));
    if (running.length > 0) return checking(openstack, [...running, ...failed]);
    const [first] = findings;
    if (first !== undefined)
      return { status: 'False', reason: first.reason, message: findings.map(({ message }) => message).join('; ') };
    if (pulled?.is === 'pending') return { status: 'Unknown', reason: 'Pulling', message: pulled.why };
    const images = pulled === undefined ? '' : ', a node has pulled all images';
    const message = `${wanted.length} charts render with the values of ${release}, no migration is unfinished${images}`;
    return warnings.length === 0
      ? { status: 'True', reason: 'Passed', message }
      : { status: 'True', reason: WITH_WARNINGS, message: `${message}; ${warnings.join('; ')}` };
  }

  async #pull(openstack: OpenStack, pulls: readonly Images[], signal: AbortSignal): Promise<Pulled> {
    const all = {
      images: [...new Set(pulls.flatMap(({ images }) => images))].toSorted(),
      pullSecrets: [...new Set(pulls.flatMap(({ pullSecrets }) => pullSecrets))].toSorted(),
    };
    const text = JSON.stringify(all);
    if (this.#pulled === text) return { is: 'done' };
    const pulled = await pullImages(this.#effects.client, openstack, all, signal);
    if (pulled.is === 'done') this.#pulled = text;
    return pulled;
  }

  async #render(
    { metadata }: OpenStack,
    { name, spec, digest }: DesiredService,
    hasCheck: boolean,
    signal: AbortSignal,
  ): Promise<DryRun> {
    const known = this.#rendered.get(name);
    const id = `${digest} ${hasCheck}`;
    if (known?.id === id && known.until > performance.now()) return known;
    const rendered = await this.#dryRun({ ...metadata, name }, spec, hasCheck, signal);
    if (rendered.problem !== undefined)
      this.#effects.log.warn(`${metadata.name}: preflight of ${name}: ${rendered.problem}`);
    const keptMs = rendered.problem === undefined ? RENDERED_MS : RETRY_MS;
    this.#rendered.set(name, { ...rendered, id, until: performance.now() + keptMs });
    return rendered;
  }

  async #dryRun(
    metadata: OpenStackService['metadata'],
    spec: OpenStackService['spec'],
    hasCheck: boolean,
    signal: AbortSignal,
  ): Promise<DryRun> {
    const { client, charts, helm, log } = this.#effects;
    try {
      const desired = await desiredOf(client, charts, { metadata, spec }, {}, signal);
      const { namespace, name } = metadata;
      const tried = await dryRun(helm, { namespace, name, ...desired }, signal, log);
      if ('problem' in tried) return { ...tried, ...NOTHING };
      const images = imagesIn(tried.yaml);
      if (!hasCheck) return { problem: undefined, ...images, check: [] };
      const values = merge(desired.values, { upgrade: { check: true } });
      const { gitVersion } = await client.get<{ gitVersion: string }>('/version', { signal });
      const rendered = await template(helm, { namespace, name, ...desired, values }, gitVersion, signal);
      if ('problem' in rendered) return { problem: `with upgrade.check: ${rendered.problem}`, ...NOTHING };
      return {
        problem: undefined,
        ...images,
        check: documentsIn(rendered.yaml, (one) => (isObject(one) ? [one] : [])),
      };
    } catch (error) {
      if (error instanceof ChartError || error instanceof ValuesError) return { problem: error.message, ...NOTHING };
      throw error;
    }
  }
}

/** Whether a service runs at another release, and has an upgrade check that is not skipped. */
function isChecked(
  { spec }: OpenStack,
  { name, chart }: DesiredService,
  object: OpenStackService | undefined,
): boolean {
  if (object?.status?.release === undefined || spec.upgrade?.skipChecks?.includes(name) === true) return false;
  return serviceNamed(chart)?.migration.upgradeCheck !== undefined;
}

/** Why a service can't go to this release at once; undefined if it can. What is below OpenStack has versions of its own. */
function skippedTo(release: string, chart: string, from: string | undefined): string | undefined {
  const [known, to] = [knownRelease(from), knownRelease(release)];
  if (upgradeStage(chart) === 0 || known === undefined || to === undefined) return undefined;
  const next = upgradesFrom(known);
  return !isNewer(to, known) || next.includes(to)
    ? undefined
    : `OpenStack has no upgrade from ${known} to ${to}: go to ${next.join(' or ')} first`;
}

/** A failed check that is repeated stays failed until it has passed. */
function checking({ metadata, status }: OpenStack, words: readonly string[]): ConditionUpdate {
  const former = conditionOf(status?.conditions, 'Preflight');
  const isRetry = former?.reason === 'UpgradeCheckFailed' && former.observedGeneration === metadata.generation;
  if (isRetry) return { status: former.status, reason: former.reason, message: former.message };
  return { status: 'Unknown', reason: 'Checking', message: `upgrade check of ${words.join('; ')}` };
}

function isObject(object: unknown): object is Rendered {
  return isMapping(object) && isMapping(object['metadata']);
}
