import { existsSync, readFileSync } from 'node:fs';
import { codeOf, messageOf } from '../../core/errors.ts';
import { requestOnce } from '../../net/request-once.ts';
import { ResolveError } from '../../net/resolver/error.ts';
import { resolveName } from '../../net/resolver/index.ts';
import { ASK_MS, type Finding, type Machine } from './finding.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const WAITERS = ['kolla-init', 'kolla-db-sync'];
const DNS_FIX = 'is there a cluster DNS, and is dnsPolicy ClusterFirst (ClusterFirstWithHostNet with hostNetwork)?';

/** Checks the credentials that a wait for a Job needs. */
export function serviceAccount({ root }: Machine): Promise<Finding[]> {
  const what = 'service account';
  const missing = ['token', 'ca.crt', 'namespace'].filter(
    (name) => problemOf(`${root}${ACCOUNT}/${name}`) !== undefined,
  );
  if (missing.length === 0) {
    const namespace = readFileSync(`${root}${ACCOUNT}/namespace`, 'utf8').trim();
    return Promise.resolve([{ what, state: 'ok', detail: `mounted; namespace ${namespace}`, helpers: WAITERS }]);
  }
  return Promise.resolve([
    {
      what,
      state: 'note',
      detail: `${ACCOUNT}: ${missing.map((name) => `${name} ${problemOf(`${root}${ACCOUNT}/${name}`)}`).join(', ')}`,
      fix: 'waits for Jobs need it: automountServiceAccountToken: true and a serviceAccountName in the pod',
      helpers: WAITERS,
    },
  ]);
}

/** Checks that the API server responds at the address given to every Pod. Sends no credentials. */
export async function apiServer({ root, env, signal }: Machine): Promise<Finding[]> {
  const what = 'API server';
  const [host, port] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']];
  if (host === undefined || port === undefined) {
    const fix = 'outside a cluster use waits that need none (tcp://, http://), or --kubeconfig';
    return [{ what, state: 'note', detail: 'KUBERNETES_SERVICE_HOST is not set: no cluster', fix, helpers: WAITERS }];
  }
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`);
  const caFile = `${root}${ACCOUNT}/ca.crt`;
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
    await requestOnce(url, { signal: deadline, ...(existsSync(caFile) ? { caFile } : { insecure: true }) });
    return [{ what, state: 'ok', detail: `${url.host} answers`, helpers: WAITERS }];
  } catch (error) {
    signal.throwIfAborted();
    const detail = `${url.host}: ${messageOf(error)}`;
    const fix = "allow egress to it in a NetworkPolicy, and check the node's kube-proxy";
    return [{ what, state: 'lacks', detail, fix, helpers: WAITERS }];
  }
}

/** Checks name resolution. In a cluster it uses a name that every cluster has. */
export async function dns({ root, env, signal }: Machine): Promise<Finding[]> {
  const helpers = ['kolla-init', 'kolla-db-sync', 'kolla-probe', 'kolla-log-ship'];
  const servers = nameserversIn(`${root}/etc/resolv.conf`);
  const detail = servers.length === 0 ? '/etc/resolv.conf has no DNS server' : `servers ${servers.join(', ')}`;
  if (env['KUBERNETES_SERVICE_HOST'] === undefined)
    return [{ what: 'DNS', state: servers.length === 0 ? 'note' : 'ok', detail, helpers }];
  const name = 'kubernetes.default.svc';
  try {
    const addresses = await resolveName(name, AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]));
    return [{ what: 'DNS', state: 'ok', detail: `${name} is ${addresses.join(', ')}`, helpers }];
  } catch (error) {
    signal.throwIfAborted();
    const problem = error instanceof ResolveError ? error.message : `${name}: no response in ${ASK_MS / 1000} s`;
    return [{ what: 'DNS', state: 'lacks', detail: `${problem}; ${detail}`, fix: DNS_FIX, helpers }];
  }
}

function nameserversIn(file: string): string[] {
  if (problemOf(file) !== undefined) return [];
  return [...readFileSync(file, 'utf8').matchAll(/^nameserver\s+(\S+)/gm)].map(([, server = '']) => server);
}

function problemOf(file: string): string | undefined {
  try {
    return readFileSync(file).length === 0 ? 'is empty' : undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'is missing' : messageOf(error);
  }
}
