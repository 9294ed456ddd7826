import { troubleText, type Pod } from '../../kube/pods.ts';
import type { ObjectKind, Reading } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { CONDITION, fields, FLAG, listOfFields, NUMBER, objectOf, TEXT } from '../shape/shape.ts';
import { met, skipped, pending, type WaitState } from '../dependency/verdict.ts';

const TERMINATED = fields({ exitCode: NUMBER, reason: TEXT });
const STATUSES = listOfFields({
  name: TEXT,
  ready: FLAG,
  started: FLAG,
  restartCount: NUMBER,
  state: fields({ waiting: fields({ reason: TEXT, message: TEXT }), running: fields({}), terminated: TERMINATED }),
  lastState: fields({ terminated: TERMINATED }),
});
export const POD_SHAPE = objectOf({
  spec: fields({ nodeName: TEXT, initContainers: listOfFields({ name: TEXT, restartPolicy: TEXT }) }),
  status: fields({
    phase: TEXT,
    conditions: listOfFields(CONDITION),
    containerStatuses: STATUSES,
    initContainerStatuses: STATUSES,
  }),
});

/** Judges a Pod's status for a wait. A terminating Pod is never ready. */
export function judgePod(pod: Pod): WaitState {
  const { metadata, status = {} } = pod;
  if (metadata.deletionTimestamp !== undefined) return skipped('being deleted');
  const { phase = 'Pending', conditions = [], containerStatuses = [], initContainerStatuses = [] } = status;
  if (phase === 'Succeeded' || phase === 'Failed') return skipped(`ended: ${phase}`);
  if (conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return met('Ready');
  const waiting = [...initContainerStatuses, ...containerStatuses].find(({ state }) => state?.waiting);
  const reason = troubleText(pod) ?? waiting?.state?.waiting?.reason;
  const ready = containerStatuses.filter((container) => container.ready).length;
  const containers = containerStatuses.length === 0 ? '' : `, ${ready} of ${containerStatuses.length} ready`;
  return pending(`${phase}${containers}${reason === undefined ? '' : `: ${reason}`}`);
}

export const POD_RESOURCE = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;

/** The access to this Pod, which is read to find our node unless NODE_NAME is set. */
export function ownPod(podName: string | undefined): Reading {
  return { resource: POD_RESOURCE, by: 'get', name: podName };
}

export const pod: ObjectKind = {
  form: 'object',
  word: 'pod',
  aliases: ['pods', 'po'],
  what: 'a Pod',
  means: 'the Pod is Ready and not being deleted; labels: one of them (node=own: one on this node)',
  by: 'name or labels',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release', 'node'],
  canBeNegated: true,
  reads: ({ name, isOnOwnNode }, podName) => [
    { resource: POD_RESOURCE, by: 'watch', name },
    ...(isOnOwnNode ? [ownPod(podName)] : []),
  ],
  make: (dependency, options, effects) =>
    objectWaiter<Pod>(dependency, options, effects, {
      resource: POD_RESOURCE,
      shape: POD_SHAPE,
      judge: judgePod,
      ofMany: 'any',
    }),
};
