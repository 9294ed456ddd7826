import type { KubeClient } from '../src/kube/index.ts';

export const NAMESPACE = 'openstack';

/** One object to wait for. */
export interface Waited {
  readonly wait: string;
  create(): Promise<void>;
  /** Makes the condition true; resolves with the API server's reply. */
  meet(): Promise<void>;
}

/** `startTime` of every Job, which is immutable once set. */
const START = seconds(new Date());

/** Creates an object by number. */
export type Make = (client: KubeClient, n: number) => Waited;

const never = new AbortController().signal;
const path = (group: string, resource: string, name = '', subresource = '') =>
  `/apis/${group}/namespaces/${NAMESPACE}/${resource}${name === '' ? '' : `/${name}`}${subresource}`;

/** A Job whose status the benchmark writes, managed by an external controller. */
export const job: Make = (client, n) => {
  const name = `job-${n}`;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none.test/c:1' }] } };
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { managedBy: 'bench.test/by-hand', template },
  };
  return {
    wait: `job/${name}`,
    create: async () => {
      await client.request('POST', path('batch/v1', 'jobs'), object, { signal: never });
      // The initial status that a controller would have written by then.
      await touch(client, name, 1);
    },
    meet: async () => {
      const time = seconds(new Date());
      const condition = (type: string) => ({ type, status: 'True', lastProbeTime: time, lastTransitionTime: time });
      const status = {
        active: 0,
        ready: 0,
        terminating: 0,
        succeeded: 1,
        completionTime: time,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      };
      await client.request('PATCH', path('batch/v1', 'jobs', name, '/status'), { status }, { signal: never });
    },
  };
};

/** A change of a Job that does not complete it. */
export async function touch(client: KubeClient, name: string, active: number): Promise<void> {
  const status = { active, ready: 0, terminating: 0, startTime: START };
  await client.request('PATCH', path('batch/v1', 'jobs', name, '/status'), { status }, { signal: never });
}

/** A Service with one endpoint. */
export const endpoint: Make = (client, n) => {
  const name = `service-${n}`;
  const endpoints = (ready: boolean) => [{ addresses: ['10.9.9.9'], conditions: { ready } }];
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    endpoints: endpoints(false),
  };
  const at = (which = '') => path('discovery.k8s.io/v1', 'endpointslices', which);
  return {
    wait: `service/${name}`,
    create: async () => void (await client.request('POST', at(), object, { signal: never })),
    meet: async () => void (await client.request('PATCH', at(name), { endpoints: endpoints(true) }, { signal: never })),
  };
};

/** In the API's timestamp format. */
function seconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
