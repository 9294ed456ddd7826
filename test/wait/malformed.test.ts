import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KollaError } from '../../src/core/errors.ts';
import { ForbiddenError } from '../../src/kube/api-error.ts';
import type { ApiResource, KubeObject } from '../../src/kube/types.ts';
import { oneOf, randomFrom } from '../support/random.ts';
import { scriptedClient, wait, type Script } from './support.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Objects on the API server: that of the dependency, and the Pods on our node. */
interface State {
  readonly object: Json;
  readonly pods?: readonly Json[];
}

interface Case extends State {
  /** The dependency that these objects satisfy. */
  readonly text: string;
  /** Objects that satisfy `!text`; undefined if it only requires the object's absence. */
  readonly opposite?: Json;
  /** Fields that this wait ignores. */
  readonly unread?: RegExp;
  /** Whether reading EndpointSlices is denied. */
  readonly byEndpoints?: boolean;
}

const WIDGET: ApiResource = {
  group: 'example.org',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
const READY = [{ type: 'Ready', status: 'True', reason: 'Fine', message: 'all is well', observedGeneration: 3 }];
const metadata = { name: 'x', generation: 3, labels: { app: 'x' }, annotations: { 'kolla-pod/release': 'r1' } };
const rolledOut = {
  metadata,
  spec: { replicas: 2, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  status: {
    observedGeneration: 3,
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
    currentRevision: 'x-1',
    updateRevision: 'x-2',
    conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
  },
};
const pod = {
  metadata: { ...metadata, ownerReferences: [{ kind: 'DaemonSet', name: 'x' }] },
  spec: {
    nodeName: 'node1',
    containers: [{ name: 'main' }, { name: 'side' }],
    initContainers: [{ name: 'init', restartPolicy: 'Always' }],
  },
  status: {
    phase: 'Running',
    conditions: READY,
    containerStatuses: [{ name: 'side', ready: true, state: { waiting: { reason: 'Starting' } } }],
    initContainerStatuses: [{ name: 'init', ready: true, state: { terminated: { reason: 'Done', exitCode: 0 } } }],
  },
};
const slice = {
  metadata: { ...metadata, labels: { app: 'x', 'kubernetes.io/service-name': 'x' } },
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true, terminating: false } }],
};
const widget = { metadata, status: { observedGeneration: 3, conditions: READY, phase: 'Good' } };
const daemonSet = {
  metadata,
  spec: { selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } },
  status: { observedGeneration: 3, currentNumberScheduled: 1, desiredNumberScheduled: 1 },
};

const CASES: readonly Case[] = [
  {
    text: 'job/x?release=r1',
    object: {
      metadata,
      spec: { backoffLimit: 6, suspend: false },
      status: { active: 0, failed: 1, conditions: [{ type: 'Complete', status: 'True', reason: 'Done', message: '' }] },
    },
  },
  { text: 'job?label=app=x', object: { metadata, status: { conditions: [{ type: 'Complete', status: 'True' }] } } },
  { text: 'deployment/x', object: rolledOut, unread: /updateStrategy|Revision/ },
  { text: 'statefulset/x', object: rolledOut, unread: /status.replicas|conditions/ },
  { text: 'pod/x', object: pod, unread: /ontainers$|ontainers\.|terminated/ },
  { text: 'pod?label=app=x&node=own', object: pod, unread: /ontainers$|ontainers\.|terminated/ },
  {
    text: 'container/side',
    object: pod,
    unread: /nodeName|phase|conditions/,
    opposite: { ...pod, status: { ...pod.status, containerStatuses: [{ name: 'side', ready: false }] } },
  },
  {
    text: 'service/x',
    object: slice,
    // Without this label, the slice does not belong to the Service.
    unread: /metadata.labels/,
    opposite: { ...slice, endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }] },
  },
  {
    text: 'service/x',
    object: { metadata, subsets: [{ addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '10.0.0.2' }] }] },
    unread: /ip$/,
    byEndpoints: true,
  },
  { text: 'node/x', object: { metadata, status: { conditions: READY } } },
  { text: 'configmap/x', object: { metadata } },
  { text: 'secret/x', object: { metadata } },
  {
    text: 'db-sync/x?release=r1',
    object: { metadata: { name: 'x', annotations: { 'kolla-pod/ready-for': 'r1', 'kolla-pod/state': 'done' } } },
  },
  {
    text: 'widgets.example.org/x?condition=Ready',
    object: widget,
    unread: /phase|status.observedGeneration|message/,
    opposite: { ...widget, status: { ...widget.status, conditions: [{ type: 'Ready', status: 'False' }] } },
  },
  {
    text: 'widgets.example.org/x?jsonpath={.status.conditions[?(@.type=="Ready")].status}=True',
    object: widget,
    unread: /observedGeneration|reason|message|phase/,
  },
  { text: 'daemonset/x', object: daemonSet, pods: [pod], unread: /pods.*(?:ontainers$|ontainers\.|terminated)/ },
  { text: 'daemonset/x', object: { metadata, spec: daemonSet.spec, status: daemonSet.status }, pods: [] },
];

/** The result of a wait with these objects: `met`, `waits`, or the error. */
async function endOf(text: string, { object, pods = [] }: State, byEndpoints = false): Promise<unknown> {
  const stop = new AbortController();
  const all = (...objects: readonly Json[]) =>
    [{ kind: 'set', objects: new Map(objects.map((each, i) => [`o-${i}`, each as unknown as KubeObject])) }] as const;
  const script: Script = {
    one: () => [{ kind: 'object', object: object as unknown as KubeObject }],
    set({ fieldSelector }) {
      if (byEndpoints) throw new ForbiddenError('no', 'no');
      return fieldSelector === undefined ? all(object) : all(...pods);
    },
    resource: WIDGET,
  };
  const seen = Promise.withResolvers<string>();
  const { done } = wait([text], {
    kube: () => Promise.resolve(scriptedClient(script)),
    daemonsetAbsent: 'ready',
    fallsBackToEndpoints: byEndpoints,
    self: { podName: 'x', nodeName: 'node1', container: undefined, isInCluster: true },
    signal: stop.signal,
    onLine(line) {
      const { msg } = JSON.parse(line) as { msg: string };
      if (msg.startsWith(`${text}: `) && !msg.startsWith(`${text}: ready after`)) seen.resolve('waits');
    },
  });
  const ended = done.then(
    () => 'met',
    (error: unknown) => error,
  );
  const end = await Promise.race([ended, seen.promise]);
  stop.abort(new KollaError(1, 'enough'));
  await ended;
  return end;
}

/** The paths of all values below this one. */
function placesIn(value: Json, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const here = [...place, key];
    return [here, ...placesIn((value as Readonly<Record<string | number, Json>>)[key]!, here)];
  });
}

function valueAt(value: Json, place: readonly (string | number)[]): Json {
  return place.reduce((at, key) => (at as Readonly<Record<string | number, Json>>)[key] ?? null, value);
}

/** A copy that has another value at that path. */
function withAt(value: Json, [key, ...rest]: readonly (string | number)[], other: Json): Json {
  if (key === undefined || typeof value !== 'object' || value === null) return other;
  const copy = structuredClone(value) as Record<string | number, Json>;
  copy[key] = withAt(copy[key] ?? null, rest, other);
  return copy;
}

/** Metadata is validated when an object is received. */
const RECEIVED = /^(?:object|pods|pods\.\d+)(?:\.metadata)?$/;
const VALUES: readonly Json[] = [7, '3', 'True', true, false, null, [], {}, [null], ['x'], [{}], { a: 1 }, { type: 5 }];

function kindOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

for (const { text, object, pods, opposite, unread, byEndpoints } of CASES) {
  const met: State = { object, ...(pods === undefined ? {} : { pods }) };
  const asked: readonly (readonly [string, State])[] = [
    [text, met],
    ...(opposite === undefined ? [] : [[`!${text}`, { object: opposite }] as const]),
  ];
  for (const [shown, state] of asked) {
    const title = `${shown}${byEndpoints === true ? ' by Endpoints' : ''}${pods === undefined ? '' : `, ${pods.length} Pods`}`;
    test(`${title} waits while a field of its object has another type`, async () => {
      assert.equal(await endOf(shown, state, byEndpoints), 'met');
      const whole: Json = { ...state };
      for (const place of placesIn(whole)) {
        const path = place.join('.');
        if (RECEIVED.test(path)) continue;
        for (const value of VALUES) {
          const end = await endOf(shown, withAt(whole, place, value) as unknown as State, byEndpoints);
          const where = `${path} = ${JSON.stringify(value)}`;
          assert.ok(end === 'met' || end === 'waits' || end instanceof KollaError, `${where}: ${String(end)}`);
          const isOther = value !== null && kindOf(value) !== kindOf(valueAt(whole, place));
          if (isOther && unread?.test(path) !== true) assert.equal(end, 'waits', where);
        }
      }
    });
  }
}

const ROUNDS = 5000;

test(`${ROUNDS} objects with replaced fields end no wait with an unexpected error`, async () => {
  const random = randomFrom(18_007);
  const ends = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const { text, object, pods = [], byEndpoints } = oneOf(random, CASES);
    let state: Json = { object, pods };
    for (let n = 1 + Math.floor(random() * 4); n > 0; n--) {
      const place = oneOf(random, placesIn(state));
      if (!RECEIVED.test(place.join('.'))) state = withAt(state, place, oneOf(random, VALUES));
    }
    const end = await endOf(text, state as unknown as State, byEndpoints);
    assert.ok(
      typeof end === 'string' || end instanceof KollaError,
      `${text} of ${JSON.stringify(state)}: ${String(end)}`,
    );
    const kind = typeof end === 'string' ? end : 'refused';
    ends.set(kind, (ends.get(kind) ?? 0) + 1);
  }
  for (const kind of ['met', 'waits']) assert.ok((ends.get(kind) ?? 0) > 500, `${kind}: only ${ends.get(kind)}`);
});
