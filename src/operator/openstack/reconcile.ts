import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import type { Cache } from '../runtime/cache.ts';
import { conditionOf, type ConditionUpdate } from '../api/conditions.ts';
import { GROUP, MANAGER, VERSION, ownRef, type OpenStack, type OpenStackService } from '../api/objects.ts';
import type { Publisher } from '../runtime/publish.ts';
import { REFUSED_MS, type Result } from '../runtime/queue.ts';
import { APPLIED, planOf, wantedServices, type DesiredService } from './plan.ts';
import { requeueAfterMs, WITH_WARNINGS, type Preflight } from './preflight.ts';
import { statusOf } from './status.ts';

export interface OpenStackEffects {
  readonly client: KubeClient;
  readonly publisher: Publisher;
  readonly openstacks: Cache<OpenStack>;
  readonly services: Cache<OpenStackService>;
  readonly preflight: Preflight;
  readonly log: Log;
  readonly now: () => Date;
}

const BEGINNING: ConditionUpdate = { status: 'Unknown', reason: 'Rendering', message: 'preflight: renders all charts' };

/**
 * One look at an OpenStack: applies the services whose turn it is, deletes those that are switched off, and publishes the
 * state. A cached service that is older than our last apply only causes the same apply again.
 */
export async function reconcileOpenStack(
  name: string,
  { client, publisher, openstacks, services, preflight, log, now }: OpenStackEffects,
  signal: AbortSignal,
): Promise<Result> {
  const openstack = openstacks.get(name);
  if (openstack === undefined || openstack.metadata.deletionTimestamp !== undefined) return {};
  const existing = new Map([...services.values()].map((service) => [service.metadata.name, service]));
  const plan = planOf(openstack, existing);
  let refused: { readonly name: string; readonly message: string } | undefined;
  const isAllowed = openstack.spec.suspend !== true && plan.refused === undefined;
  const isUpgrade = plan.kind === 'upgrade' && plan.isBeginning;
  const former = publisher.statusOf(openstack);
  if (isAllowed && isUpgrade && conditionOf(former?.conditions, 'Ready')?.status === 'True') {
    // A preflight may take a minute, and until it ends the status would say that the old release is ready.
    const begun = statusOf(openstack, former, plan, { checked: BEGINNING }, now());
    await publisher.write('OpenStack', openstack, begun, signal);
  }
  const checked =
    isAllowed && isUpgrade
      ? await preflight
          .check(openstack, wantedServices(openstack, existing), existing, signal)
          .catch(async (error: unknown) => {
            // Otherwise the status would go on saying that it renders.
            const failed = { status: 'False', reason: 'Error', message: messageOf(error) } as const;
            const status = statusOf(openstack, publisher.statusOf(openstack), plan, { checked: failed }, now());
            await publisher.write('OpenStack', openstack, status, signal);
            throw error;
          })
      : undefined;
  // A preflight may take minutes: what has changed meanwhile, such as the release set back, is in the queue already.
  const { uid, generation } = openstacks.get(name)?.metadata ?? {};
  if (uid !== openstack.metadata.uid || generation !== openstack.metadata.generation) return {};
  if (isAllowed && (checked === undefined || checked.status === 'True')) {
    for (const { metadata } of plan.remove) {
      log.info(`${name}: ${metadata.name} is switched off; its Helm release stays`);
      const preconditions = { uid: metadata.uid };
      const path = objectPath(ownRef('OpenStackService', metadata.namespace, metadata.name));
      await client.request('DELETE', path, { preconditions }, { signal }).catch(unlessGone);
    }
    for (const wanted of plan.apply) {
      log.info(`${name}: applies ${wanted.name}, release ${wanted.spec.release}`);
      try {
        await apply(client, openstack, wanted, signal);
      } catch (error) {
        // The object is at fault, not the connection: the API server's words belong into its status.
        if (!(error instanceof ApiError) || ![400, 403, 422].includes(error.status)) throw error;
        refused ??= { name: wanted.name, message: error.message };
      }
    }
  }
  const before = publisher.statusOf(openstack);
  const status = statusOf(openstack, before, plan, { refused, checked }, now());
  if (!(await publisher.write('OpenStack', openstack, status, signal))) return {};
  for (const type of ['Degraded', 'Ready'] as const) {
    const [was, is] = [before, status].map((one) => conditionOf(one?.conditions, type));
    const isNew =
      is?.status === 'True' && (was?.status !== 'True' || (type === 'Degraded' && was.message !== is.message));
    if (is !== undefined && isNew)
      await publisher.event(
        'OpenStack',
        openstack,
        type === 'Ready' ? 'Normal' : 'Warning',
        is.reason,
        is.message,
        signal,
      );
  }
  const warned = conditionOf(before?.conditions, 'Preflight');
  if (checked?.reason === WITH_WARNINGS && warned?.message !== checked.message)
    await publisher.event('OpenStack', openstack, 'Warning', checked.reason, checked.message, signal);
  return { requeueAfterMs: refused === undefined ? requeueAfterMs(checked) : REFUSED_MS };
}

async function apply(
  client: KubeClient,
  { metadata }: OpenStack,
  { name, spec, digest }: DesiredService,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = metadata;
  const apiVersion = `${GROUP}/${VERSION}`;
  const owner = { apiVersion, kind: 'OpenStack', name: metadata.name, uid: metadata.uid, controller: true };
  const object = {
    apiVersion,
    kind: 'OpenStackService',
    metadata: { namespace, name, annotations: { [APPLIED]: digest }, ownerReferences: [owner] },
    spec,
  };
  await client.apply(objectPath(ownRef('OpenStackService', namespace, name)), object, { signal, manager: MANAGER });
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
}
