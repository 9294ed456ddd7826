import { createHash } from 'node:crypto';
import { RELEASES, serviceNamed, upgradeStage } from '../../catalog/index.ts';
import { defined } from '../../core/defined.ts';
import { conditionOf } from '../api/conditions.ts';
import { contains } from '../api/contains.ts';
import { merge } from '../helm/values.ts';
import type { OpenStack, OpenStackService, OpenStackSpec, ServiceSpec, ServiceSummary } from '../api/objects.ts';
import { noWayBack } from '../service/migrations.ts';

/** The digest of the spec that was applied last: a field that is no longer wanted must be removed by another apply. */
export const APPLIED = 'kolla-pod.io/applied';

/** A service as the OpenStack wants it. */
export interface DesiredService {
  readonly name: string;
  readonly chart: string;
  readonly spec: ServiceSpec;
  readonly digest: string;
}

/** What to do now, and the state that follows from the services. */
export interface Plan {
  /** `upgrade` and `roll back` go stage by stage; otherwise all services are changed at once. */
  readonly kind: 'upgrade' | 'roll back' | 'apply';
  /** Services to apply now. */
  readonly apply: readonly DesiredService[];
  /** Services to delete: switched off. Their Helm releases stay. */
  readonly remove: readonly OpenStackService[];
  /** In the order of the steps. */
  readonly services: readonly ServiceSummary[];
  /** The services of `pauseAfter` that hold back others. */
  readonly pausedAfter: readonly string[];
  /** The services whose last Jobs `pauseBefore` holds back. */
  readonly held: readonly string[];
  /** Why nothing may be changed: a service can't go back. */
  readonly refused: string | undefined;
  /** Whether no service has been changed to this release yet. */
  readonly isBeginning: boolean;
}

/** The services that an OpenStack describes, in the order of an upgrade. */
export function wantedServices(
  { spec }: Pick<OpenStack, 'spec'>,
  existing: ReadonlyMap<string, OpenStackService>,
): DesiredService[] {
  return Object.entries(spec.services)
    .filter(([, { enabled = true }]) => enabled)
    .map(([name, service]) => {
      const chart = service.chart ?? name;
      const object = existing.get(name);
      const wanted = specOf(notBack(spec, chart, object), service, isHeld(spec, chart, object));
      const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16);
      return { name, chart, spec: wanted, digest };
    })
    .toSorted((a, b) => upgradeStage(a.chart) - upgradeStage(b.chart) || (a.name < b.name ? -1 : 1));
}

/** What is below OpenStack, such as a database, does not go back with it: it keeps its release and its image. */
function notBack(spec: OpenStackSpec, chart: string, object: OpenStackService | undefined): OpenStackSpec {
  const { release, tag } = object?.spec ?? {};
  if (release === undefined || upgradeStage(chart) !== 0 || !isNewer(release, spec.release)) return spec;
  const { tag: _, ...others } = spec;
  return { ...others, ...defined({ release, tag }) };
}

function specOf(
  { release, tag, registry, storageClass, values = {}, valuesFrom, timeout }: OpenStackSpec,
  service: OpenStackSpec['services'][string],
  held: boolean,
): ServiceSpec {
  const chart = defined({ name: service.chart, version: service.version });
  const global = defined({ registry, storageClass });
  const below = Object.keys(global).length === 0 ? {} : { global };
  const own = merge(merge(below, values), service.values ?? {});
  const all = held ? merge(own, { upgrade: HELD }) : own;
  return {
    ...(Object.keys(chart).length === 0 ? {} : { chart }),
    release,
    ...defined({ tag: tag?.replaceAll('{release}', release), valuesFrom, timeout }),
    ...(Object.keys(all).length === 0 ? {} : { values: all }),
  };
}

/** Values with which a chart creates the Jobs of `contract` and `online` suspended. */
const HELD = { stepwise: true, pauseBefore: 'contract' } as const;

/** Whether a service keeps its last Jobs suspended: from its change to a newer release until pauseBefore is removed. */
function isHeld({ release, upgrade }: OpenStackSpec, chart: string, object: OpenStackService | undefined): boolean {
  const { contract, online } = serviceNamed(chart)?.migration.phases ?? {};
  const from = object?.spec.release;
  if (upgrade?.pauseBefore !== 'contract' || (contract ?? online) === undefined || from === undefined) return false;
  if (from !== release) return isNewer(release, from);
  return object !== undefined && pausesIn(object.spec);
}

/** Whether a service's last Jobs are suspended by its values. */
export function pausesIn({ values }: ServiceSpec): boolean {
  return (values?.['upgrade'] as Partial<typeof HELD> | undefined)?.pauseBefore === HELD.pauseBefore;
}

/**
 * Compares the services with what is wanted. Pure: it follows from the objects alone, so that it is the same after a
 * restart.
 * @param existing all OpenStackServices of the namespace, by name
 */
export function planOf(openstack: OpenStack, existing: ReadonlyMap<string, OpenStackService>): Plan {
  const { uid } = openstack.metadata;
  const { release } = openstack.spec;
  const wanted = wantedServices(openstack, existing);
  const foreign = (name: string) => {
    const owner = existing.get(name)?.metadata.ownerReferences?.find(({ controller }) => controller);
    return owner !== undefined && owner.uid !== uid ? owner : undefined;
  };
  const others = wanted.flatMap(({ name, spec }) => {
    const now = existing.get(name)?.spec.release;
    return now === undefined || now === spec.release ? [] : [now];
  });
  const kind = others.length === 0 ? 'apply' : others.some((one) => isNewer(one, release)) ? 'roll back' : 'upgrade';
  const refused = kind === 'roll back' ? refusalOf(wanted, existing, release) : undefined;
  const stages = stagesOf(wanted, kind);
  const pauses = openstack.spec.upgrade?.pauseAfter ?? [];
  const apply: DesiredService[] = [];
  const services: ServiceSummary[] = [];
  const pausedAfter: string[] = [];
  /** Services of earlier stages that are not ready. */
  const blocking: string[] = [];
  for (const stage of stages) {
    const isOpen = refused === undefined && (kind === 'apply' || blocking.length === 0);
    const after = refused === undefined ? `after ${blocking.join(', ')}` : 'nothing is changed';
    for (const one of stage) {
      const object = existing.get(one.name);
      const owner = foreign(one.name);
      const needs = owner === undefined && !isApplied(one, object, uid);
      if (needs && isOpen) apply.push(one);
      const state = owner === undefined ? stateOf(object, needs, isOpen, after) : belongsTo(one.name, owner);
      services.push({ name: one.name, ...defined({ release: object?.status?.release }), ...state });
      if (state.state !== 'Ready') blocking.push(one.name);
    }
    const holding = stage.filter(({ name }) => pauses.includes(name) && !blocking.includes(name));
    if (kind !== 'apply' && stage !== stages.at(-1) && blocking.length === 0 && holding.length > 0) {
      pausedAfter.push(...holding.map(({ name }) => name));
      blocking.push(...holding.map(({ name }) => `${name} (pauseAfter)`));
    }
  }
  const held = services.filter(
    ({ name, state }) => state === 'Ready' && (existing.get(name)?.status?.heldJobs ?? []).length > 0,
  );
  const remove = [...existing.values()].filter(
    ({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid) === true &&
      wanted.every(({ name }) => name !== metadata.name),
  );
  return {
    kind,
    apply,
    remove: refused === undefined ? remove : [],
    services,
    pausedAfter,
    held: held.map(({ name }) => name),
    refused,
    isBeginning: wanted.every(({ name }) => existing.get(name)?.spec.release !== release),
  };
}

/** Wanted services by stage; going back, the last ones first. */
export function stagesOf(wanted: readonly DesiredService[], kind: Plan['kind']): DesiredService[][] {
  const stages = new Map<number, DesiredService[]>();
  for (const one of wanted) {
    const stage = upgradeStage(one.chart);
    stages.set(stage, [...(stages.get(stage) ?? []), one]);
  }
  const sorted = [...stages].toSorted(([a], [b]) => a - b).map(([, stage]) => stage);
  return kind === 'roll back' ? sorted.toReversed() : sorted;
}

/** Whether a known release comes after another. */
export function isNewer(release: string, than: string): boolean {
  const index = (name: string) => (RELEASES as readonly string[]).indexOf(name);
  return index(release) > index(than);
}

/** Why services that are at a newer release can't go back; undefined if nothing prevents it. */
function refusalOf(
  wanted: readonly DesiredService[],
  existing: ReadonlyMap<string, OpenStackService>,
  release: string,
): string | undefined {
  for (const { name } of wanted) {
    const { spec, status } = existing.get(name) ?? {};
    const why = spec?.release !== undefined && isNewer(spec.release, release) && noWayBack(status?.migrations, release);
    if (typeof why === 'string') return `${name}: ${why}`;
  }
  return undefined;
}

/** @param uid of the OpenStack, which one that was deleted with --cascade=orphan leaves without an owner */
function isApplied({ spec, digest }: DesiredService, object: OpenStackService | undefined, uid: string): boolean {
  const { annotations, ownerReferences } = object?.metadata ?? {};
  const isOwned = ownerReferences?.some((owner) => owner.uid === uid) === true;
  return isOwned && annotations?.[APPLIED] === digest && contains(object?.spec, spec);
}

type State = Pick<ServiceSummary, 'state' | 'message'>;

function stateOf(object: OpenStackService | undefined, needs: boolean, isOpen: boolean, after: string): State {
  const { generation } = object?.metadata ?? {};
  const { observedGeneration, conditions, message } = object?.status ?? {};
  const degraded = conditionOf(conditions, 'Degraded');
  const isCurrent = !needs && observedGeneration === generation;
  if (degraded?.status === 'True' && (isCurrent || !isOpen)) return { state: 'Degraded', message: degraded.message };
  if (needs && !isOpen) return { state: 'Waiting', message: after };
  if (isCurrent && conditionOf(conditions, 'Ready')?.status === 'True') return { state: 'Ready' };
  return { state: 'Progressing', ...(isCurrent && message !== undefined && message !== '' ? { message } : {}) };
}

function belongsTo(name: string, owner: { readonly kind: string; readonly name: string }): State {
  return { state: 'Degraded', message: `OpenStackService ${name} belongs to ${owner.kind} ${owner.name}` };
}
