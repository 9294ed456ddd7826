import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Self } from './waiter.ts';

/** The command that shows who should answer under this host: the endpoints of its Service, or the Pod of an address. */
export function endpointsHint(host: string): string {
  // Something in this Pod, whose name is our host name.
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return `kubectl describe pod ${hostname()}`;
  if (isIP(host) !== 0) return `kubectl get pods -A -o wide --field-selector status.podIP=${host}`;
  const [service, namespace] = host.split('.');
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl get endpointslices${where} -l kubernetes.io/service-name=${service}`;
}

/** The command that shows what is at a path of our own container. */
export function insideHint({ podName, container }: Self, path: string): string {
  const where = container === undefined ? podName : `${podName} -c ${container}`;
  const quoted = /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return `kubectl exec ${where} -- ls -la ${quoted}`;
}
