import * as v from 'valibot';
import { selectorText, type LabelSelector } from '../../kube/rollout.ts';
import type { KubeObject, SetRef } from '../../kube/types.ts';
import { Mailbox } from '../../core/mailbox.ts';
import type { ObjectDependency, ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter, unlessMalformed } from '../dependency/objects.ts';
import { fields, fits, listOf, listOfFields, mapOf, NUMBER, objectOf, PLAIN, shaped } from '../shape/shape.ts';
import type { SharedObservation, View } from '../dependency/sharing.ts';
import { met, pending, type WaitState } from '../dependency/verdict.ts';
import type { Effects, WaitOptions, Waiter } from '../dependency/waiter.ts';
import type { Pod } from '../../kube/pods.ts';
import { judgePod, ownPod, POD_RESOURCE, POD_SHAPE } from './pod.ts';
import { judgePresence } from './presence.ts';

/** The fields of a DaemonSet that the verdict needs. */
export interface DaemonSet extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentNumberScheduled?: number;
    readonly desiredNumberScheduled?: number;
  };
}

interface OwnedPod extends Pod {
  readonly metadata: Pod['metadata'] & { readonly ownerReferences?: readonly { kind: string; name: string }[] };
}

const SHAPE = objectOf({
  spec: fields({
    selector: fields({
      matchLabels: mapOf(v.string()),
      matchExpressions: listOfFields({ key: v.string(), operator: v.string(), values: listOf(v.string()) }),
    }),
  }),
  status: fields({
    observedGeneration: NUMBER,
    currentNumberScheduled: NUMBER,
    desiredNumberScheduled: NUMBER,
  }),
});

/** Judges a DaemonSet and the Pods with its labels on one node, for a wait on that node. */
export function judgeDaemonSet(
  { metadata, status = {} }: DaemonSet,
  pods: readonly OwnedPod[],
  node: string,
  absent: WaitOptions['daemonsetAbsent'],
): WaitState {
  const own = pods.filter((pod) =>
    pod.metadata.ownerReferences?.some(({ kind, name }) => kind === 'DaemonSet' && name === metadata.name),
  );
  const judged = own.map(judgePod);
  const ready = judged.find(({ is }) => is === 'met');
  if (ready !== undefined) return met(`its Pod on node ${node} is ready`);
  const open = judged.find(({ is }) => is === 'pending') ?? judged[0];
  if (open !== undefined) return pending(`its Pod on node ${node}: ${open.state}`);
  const { observedGeneration = 0, currentNumberScheduled = 0, desiredNumberScheduled = 0 } = status;
  // Until then the DaemonSet's controller may not have processed this node.
  const isSettled =
    observedGeneration >= (metadata.generation ?? 0) && currentNumberScheduled >= desiredNumberScheduled;
  const none = `none of its Pods is on node ${node}`;
  return absent === 'ready' && isSettled ? met(none) : pending(none);
}

const RESOURCE = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespaced: true } as const;

export const daemonset: ObjectKind = {
  form: 'object',
  word: 'daemonset',
  aliases: ['daemonsets', 'ds', 'daemonset.apps', 'daemonsets.apps'],
  what: 'a DaemonSet',
  means: 'its Pod on this node is ready (none there: see --daemonset-absent)',
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release'],
  canBeNegated: true,
  reads: (dependency, podName) => [
    { resource: RESOURCE, by: 'watch', name: dependency.name },
    ...(isOfThisNode(dependency)
      ? [{ resource: POD_RESOURCE, by: 'set', name: undefined } as const, ownPod(podName)]
      : []),
  ],
  make(dependency, options, effects) {
    const plain = objectWaiter<DaemonSet>(dependency, options, effects, {
      resource: RESOURCE,
      shape: PLAIN,
      judge: judgePresence,
      ofMany: 'all',
    });
    if (!isOfThisNode(dependency)) return plain;
    return { ...plain, wait: (report, signal) => waitOnThisNode(dependency, options, effects, { report, signal }) };
  },
};

/** Whether the wait is for the Pod on this node. Conditions, values and absence refer to the DaemonSet itself. */
function isOfThisNode({ isNegated, conditions, jsonpaths }: ObjectDependency): boolean {
  return !isNegated && conditions.length === 0 && jsonpaths.length === 0;
}

type Message =
  | { readonly of: 'daemonset'; readonly seen: SharedObservation<DaemonSet> }
  | { readonly of: 'pods'; readonly seen: SharedObservation<OwnedPod> };

/** Waits with two watches: the DaemonSet defines its Pods' selector, and the verdict depends on the Pods' state. */
async function waitOnThisNode(
  { kind, name, namespace: given }: ObjectDependency,
  { daemonsetAbsent }: WaitOptions,
  { kube, watches, ownNode }: Effects,
  { report, signal }: { readonly report: Parameters<Waiter['wait']>[0]; readonly signal: AbortSignal },
): Promise<string> {
  const namespace = given ?? (await kube()).namespace;
  const node = await ownNode({ report, signal });
  const view: View = {
    resource: RESOURCE,
    namespace,
    name,
    labels: [],
    metadataOnly: false,
    isAlone: false,
    mustBeSure: false,
  };
  const mailbox = new Mailbox<Message>();
  using daemonsets = stoppable(signal);
  using pods = stoppable(signal);
  void forward(mailbox, 'daemonset', watches.see<DaemonSet>(kind, view, daemonsets.begin()));
  let selector: string | undefined;
  let found: DaemonSet | undefined;
  let wasThere = false;
  let here: readonly OwnedPod[] | undefined;
  let state = 'not seen yet';
  for await (const { of, seen } of mailbox.letters(signal)) {
    if (seen.kind === 'trouble') report(`API server: ${seen.reason}`);
    if (seen.kind === 'connected') report(state);
    if (seen.kind !== 'objects') continue;
    if (of === 'pods') here = seen.objects;
    else {
      [found] = seen.objects;
      wasThere ||= found !== undefined;
      const wanted = found && selectorOf(found);
      if (wanted !== selector) {
        selector = wanted;
        here = undefined;
        const own = pods.begin();
        const ref: SetRef = { ...podsOn(namespace, node), labelSelector: wanted };
        if (wanted !== undefined) void forward(mailbox, 'pods', watches.seeAlone<OwnedPod>(ref, own));
      }
    }
    if (found !== undefined && selector !== undefined && here === undefined) continue;
    const none = wasThere ? 'deleted; waiting for another' : `no such DaemonSet in namespace ${namespace} yet`;
    const verdict = await unlessMalformed(() => {
      if (found === undefined) return pending(none);
      const own = (here ?? []).map((pod) => shaped(POD_SHAPE, pod) as OwnedPod);
      return judgeDaemonSet(shaped(SHAPE, found) as DaemonSet, own, node, daemonsetAbsent);
    });
    if (verdict.is === 'met') return verdict.state;
    state = verdict.state;
    report(state);
  }
  throw new Error(`the watch of DaemonSet ${name} ended`);
}

/** The selector of the DaemonSet's Pods; undefined if the DaemonSet is malformed. */
function selectorOf(found: DaemonSet): string | undefined {
  return fits(SHAPE, found) ? selectorText((shaped(SHAPE, found) as DaemonSet).spec?.selector ?? {}) : undefined;
}

function podsOn(namespace: string, node: string): SetRef {
  const { group, version, resource } = POD_RESOURCE;
  return { group, version, resource, namespace, fieldSelector: `spec.nodeName=${node}` };
}

async function forward(
  mailbox: Mailbox<Message>,
  of: Message['of'],
  sightings: AsyncIterable<SharedObservation<DaemonSet & OwnedPod>>,
): Promise<void> {
  try {
    for await (const seen of sightings) mailbox.put({ of, seen });
  } catch (error) {
    // This watch was stopped and is no longer read, or the next one has started.
    if (!(error instanceof Stopped)) mailbox.fail(error);
  }
}

class Stopped extends Error {}

/** A watch that another one may replace. It ends with the signal and when it is disposed. */
function stoppable(signal: AbortSignal): { readonly begin: () => AbortSignal } & Disposable {
  let current: AbortController | undefined;
  return {
    begin() {
      current?.abort(new Stopped());
      current = new AbortController();
      return AbortSignal.any([signal, current.signal]);
    },
    [Symbol.dispose]: () => current?.abort(new Stopped()),
  };
}
