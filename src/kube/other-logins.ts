/**
 * Logins that are left to client-node: exec plugins, auth providers and SOCKS proxies. Nothing else of it is used, and
 * kolla-core does not have it: kolla-pod takes over there (src/engine/no-logins.ts).
 */
import type { ClientRequest } from 'node:http';
import type { Agent, RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Address } from '../net/dial/address.ts';
import type { KubeconfigEntry } from './kubeconfig.ts';
import { credentialsOf, type Credentials } from './login.ts';

/** Opens connections through a SOCKS proxy. */
interface SocksAgent extends Agent {
  connect(request: ClientRequest | undefined, to: Address & { readonly secureEndpoint: false }): Promise<Socket>;
}

/** @returns reads the current credentials; a plugin runs when those that it has given expire */
export function otherLogin(entry: KubeconfigEntry): () => Promise<Credentials> {
  const { cluster, user } = entry;
  const name = 'chosen';
  const config = new KubeConfig();
  config.loadFromString(
    JSON.stringify({
      clusters: [{ name, cluster }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    }),
  );
  let agent: SocksAgent | undefined;
  // One function, because a connection is kept for the same one.
  const dialSocks = async () => await agent!.connect(undefined, { ...own.route.to, secureEndpoint: false });
  let own: Credentials;
  return async () => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    own = credentialsOf(entry);
    const { route } = own;
    const isSocks = route.proxy?.protocol.startsWith('socks') === true;
    if (isSocks) agent = options.agent as SocksAgent;
    const { cert, key } = options;
    return {
      ...own,
      // A plugin's login takes precedence over the entry's own.
      headers: [...authorizationIn(options), ...own.headers.filter(([header]) => header !== 'Authorization')],
      route: {
        ...route,
        ...(isSocks ? { proxy: undefined, dial: dialSocks } : {}),
        tls: route.tls && { ...route.tls, cert: textOf(cert) ?? route.tls.cert, key: textOf(key) ?? route.tls.key },
      },
    };
  };
}

function authorizationIn({ headers = {} }: RequestOptions): Credentials['headers'] {
  const authorization = (headers as Readonly<Record<string, unknown>>)['Authorization'];
  return typeof authorization === 'string' ? [['Authorization', authorization.trim()]] : [];
}

function textOf(pem: unknown): string | undefined {
  return typeof pem === 'string' || Buffer.isBuffer(pem) ? pem.toString() : undefined;
}
