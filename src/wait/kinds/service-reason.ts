import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import { podsOf, progressOf } from '../../kube/pods.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Effects } from '../dependency/waiter.ts';
import { judgePod } from './pod.ts';

interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly selector?: Readonly<Record<string, string>>;
  };
}

const ANOTHER_WAIT = 'an ExternalName Service has none: wait for tcp://HOST:PORT instead';

/**
 * Why a Service has no ready endpoint: its type, its selector, or its Pods. Without permission to read it, what applies
 * to any Service.
 * @param slices the number of its EndpointSlices
 */
export async function whyNoEndpoint(
  { kube }: Pick<Effects, 'kube'>,
  name: string,
  slices: number,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = await kube();
  const path = objectPath({ group: '', version: 'v1', resource: 'services', namespace, name });
  const found = await client.get<Service>(path, { signal }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    // Its endpoints tell why if there are any.
    if (error instanceof ApiError && error.status === 403 && slices === 0) return 'denied' as const;
    throw error;
  });
  if (found === 'denied') return ANOTHER_WAIT;
  if (found === undefined) return slices === 0 ? 'nor such a Service' : 'no such Service: its endpoints are left over';
  const { type, externalName = '', selector = {} } = found.spec ?? {};
  if (type === 'ExternalName')
    return `an ExternalName Service (${externalName}) has no endpoints: wait for tcp://${externalName}:PORT instead`;
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  if (labels.length === 0)
    return slices === 0
      ? 'the Service has no selector: its EndpointSlices are made by hand, or by its own controller'
      : undefined;
  const pods = await podsOf(client, namespace, labels.join(','), signal);
  if (pods.length === 0) return `no Pod has the labels of the Service's selector, ${labels.join(',')}`;
  const known = pods.map(progressOf).find((reason) => reason !== undefined);
  return known ?? pods.map((pod) => `pod/${pod.metadata.name}: ${judgePod(pod).state}`)[0];
}
