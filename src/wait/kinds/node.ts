import type { KubeObject } from '../../kube/types.ts';
import type { ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { CONDITION, fields, listOfFields, objectOf } from '../shape/shape.ts';
import { met, skipped, pending, type WaitState } from '../dependency/verdict.ts';
import { ownPod } from './pod.ts';

/** The fields of a Node that the verdict needs. */
export interface Node extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

export function judgeNode({ metadata, status }: Node): WaitState {
  if (metadata.deletionTimestamp !== undefined) return skipped('being deleted');
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return met('Ready');
  return pending(`Ready=${ready?.status ?? 'unknown'}${ready?.reason === undefined ? '' : ` (${ready.reason})`}`);
}

const RESOURCE = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false } as const;

export const node: ObjectKind = {
  form: 'object',
  word: 'node',
  aliases: ['nodes', 'no'],
  what: 'a Node',
  means: "the Node is Ready; labels: one that has them (node=own: this Pod's node). Needs a ClusterRole",
  by: 'name or labels',
  nameRule: 'subdomain',
  hasNamespace: false,
  options: ['condition', 'jsonpath', 'node'],
  canBeNegated: true,
  reads: ({ name, isOnOwnNode }, podName) => [
    { resource: RESOURCE, by: 'watch', name },
    ...(isOnOwnNode ? [ownPod(podName)] : []),
  ],
  make: (dependency, options, effects) =>
    objectWaiter<Node>(dependency, options, effects, {
      resource: RESOURCE,
      shape: objectOf({ status: fields({ conditions: listOfFields(CONDITION) }) }),
      judge: judgeNode,
      ofMany: 'any',
    }),
};
