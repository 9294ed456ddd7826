/**
 * Watches one workload and its Pods.
 *
 *   the workload, by name -> its selector -> the Pods that it matches, and the revisions of its template
 *     -> all together, whenever one of them changes and all are known; or that the API server is unavailable
 *
 * The first result is the API server's current state, so it serves as a check as well. Throws NotPermittedError if
 * something can be neither watched nor listed, and the signal's reason.
 */
import { selectorText } from '../../kube/rollout.ts';
import type { KubeClient, KubeObject, Observation, SetObservation, SetRef } from '../../kube/types.ts';
import { Mailbox } from '../../core/mailbox.ts';
import type { NamedWorkload, Replicated, Revision } from '../../kube/rollout-kinds.ts';
import type { Replicas, ReplicaPod } from './pods.ts';

/** State of a workload: it exists, is missing, or is unknown. */
export type Sight =
  | ({ readonly is: 'there' } & Replicas)
  | { readonly is: 'absent' }
  | { readonly is: 'unknown'; readonly why: string };

interface WatchContext {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** What one watch has found. */
interface Source {
  objects: readonly KubeObject[] | undefined;
  trouble: string | undefined;
}

interface Message {
  readonly from: Source;
  readonly seen: Observation<KubeObject> | SetObservation<KubeObject>;
}

export async function* watchWorkload(
  { kind, name, namespace: given }: NamedWorkload,
  { kube, signal, warn }: WatchContext,
): AsyncGenerator<Sight, never> {
  const namespace = given ?? kube.namespace;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const mailbox = new Mailbox<Message>();
  const apps = { group: 'apps', version: 'v1', namespace } as const;
  try {
    const ref = { ...apps, resource: kind.resource, name };
    const itself = begin(mailbox, kube.watch(ref, { signal: until, warn }), until);
    let selector: string | undefined;
    let own: { readonly end: AbortController; readonly pods: Source; readonly revisions: Source } | undefined;
    const beginOwn = (labelSelector: string) => {
      const end = new AbortController();
      const stop = AbortSignal.any([until, end.signal]);
      const set = (place: SetRef) => {
        return begin(mailbox, kube.watchSet({ ...place, namespace, labelSelector }, { signal: stop, warn }), stop);
      };
      return {
        end,
        pods: set({ group: '', version: 'v1', resource: 'pods' }),
        revisions: kind.revisions === undefined ? NOTHING : set({ ...apps, resource: kind.revisions }),
      };
    };
    for await (const { from, seen } of mailbox.letters(until)) {
      take(from, seen);
      const [workload] = (itself.objects ?? []) as readonly Replicated[];
      const wanted = workload && selectorText(workload.spec?.selector ?? {});
      if (wanted !== selector) {
        own?.end.abort();
        selector = wanted;
        own = wanted === undefined ? undefined : beginOwn(wanted);
      }
      const sources = own === undefined ? [itself] : [itself, own.pods, own.revisions];
      const troubled = sources.find(({ trouble }) => trouble !== undefined);
      if (troubled !== undefined) yield { is: 'unknown', why: `API server: ${troubled.trouble}` };
      else if (sources.some(({ objects }) => objects === undefined)) continue;
      else if (workload === undefined || own === undefined) yield { is: 'absent' };
      else {
        const [pods, revisions] = [own.pods.objects, own.revisions.objects];
        yield {
          is: 'there',
          workload,
          pods: pods as readonly ReplicaPod[],
          revisions: revisions as readonly Revision[],
        };
      }
    }
    throw new Error(`the watch of ${kind.resource} ${name} ended`);
  } finally {
    over.abort();
  }
}

const NOTHING: Source = { objects: [], trouble: undefined };

function begin(mailbox: Mailbox<Message>, watch: AsyncIterable<Message['seen']>, stop: AbortSignal): Source {
  const from: Source = { objects: undefined, trouble: undefined };
  void (async () => {
    try {
      for await (const seen of watch) mailbox.put({ from, seen });
    } catch (error) {
      // This watch was stopped and is no longer read, or the next one has started.
      if (!stop.aborted) mailbox.fail(error);
    }
  })();
  return from;
}

function take(source: Source, seen: Message['seen']): void {
  switch (seen.kind) {
    case 'trouble':
      source.trouble = seen.reason;
      return;
    case 'connected':
      source.trouble = undefined;
      return;
    case 'set':
      source.objects = [...seen.objects.values()];
      return;
    case 'object':
      source.objects = [seen.object];
      return;
    case 'absent':
    case 'deleted':
      source.objects = [];
  }
}
