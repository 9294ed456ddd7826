import { readFileSync } from 'node:fs';
import type { Route, RouteTls } from '../net/pool/index.ts';
import { addressOf } from '../net/url-parts.ts';
import { textIn, type KubeconfigEntry, type KubeconfigFields } from './kubeconfig.ts';

/** The API server, how it is reached, and as whom. */
export interface Credentials {
  readonly server: URL;
  readonly namespace: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly route: Route;
}

/** What only `KubeConfig` of client-node can do with this entry, in words; undefined if credentialsOf() can. */
export function otherLoginOf({ cluster, user }: KubeconfigEntry): string | undefined {
  if (user['exec'] !== undefined) return 'an exec plugin';
  if (user['auth-provider'] !== undefined) return 'an auth provider';
  return textIn(cluster, 'proxy-url')?.startsWith('socks') === true ? 'a SOCKS proxy' : undefined;
}

/**
 * Credentials by token, client certificate, or name and password. Reads their files.
 * @throws the system's error for a file; an Error for an unusable server
 */
export function credentialsOf({ cluster, user, namespace }: KubeconfigEntry): Credentials {
  const proxy = textIn(cluster, 'proxy-url');
  return {
    ...serverOf(cluster, {
      ca: pemIn(cluster, 'certificate-authority'),
      cert: pemIn(user, 'client-certificate'),
      key: pemIn(user, 'client-key'),
      serverName: textIn(cluster, 'tls-server-name'),
      insecure: cluster['insecure-skip-tls-verify'] === true,
    }),
    namespace,
    headers: [...loginOf(user), ...impersonated(user)],
  };

  function serverOf(fields: KubeconfigFields, tls: RouteTls): Pick<Credentials, 'server' | 'route'> {
    const server = urlOf(textIn(fields, 'server') ?? '', 'server');
    const isTls = server.protocol === 'https:';
    // A token must not travel in the clear by mistake.
    if (!isTls && tls.insecure !== true)
      throw new Error(`the server ${server.href} has no TLS: use https://, or set insecure-skip-tls-verify: true`);
    return {
      server,
      route: {
        to: addressOf(server),
        tls: isTls ? tls : undefined,
        proxy: proxy === undefined ? undefined : urlOf(proxy, 'proxy-url'),
      },
    };
  }
}

function urlOf(text: string, field: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error(`its ${field} is no URL: '${text}'`);
  return url;
}

/** A PEM text, in the kubeconfig or in a file; the former takes precedence, as in kubectl. */
function pemIn(fields: KubeconfigFields, key: string): string | undefined {
  const data = textIn(fields, `${key}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = textIn(fields, key);
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}

function loginOf(user: KubeconfigFields): Credentials['headers'] {
  const file = textIn(user, 'tokenFile');
  // A file that was written manually ends with a newline, which is invalid in a header.
  const token = file === undefined ? textIn(user, 'token') : readFileSync(file, 'utf8');
  if (token !== undefined) return [['Authorization', `Bearer ${token.trim()}`]];
  const name = textIn(user, 'username');
  if (name === undefined) return [];
  const login = Buffer.from(`${name}:${textIn(user, 'password') ?? ''}`).toString('base64');
  return [['Authorization', `Basic ${login}`]];
}

/** https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/ */
function impersonated(user: KubeconfigFields): Credentials['headers'] {
  const [name, uid, groups] = [textIn(user, 'as'), textIn(user, 'as-uid'), user['as-groups']];
  return [
    ...(name === undefined ? [] : [['Impersonate-User', name] as const]),
    ...(uid === undefined ? [] : [['Impersonate-Uid', uid] as const]),
    ...(Array.isArray(groups) ? groups.map((group) => ['Impersonate-Group', String(group)] as const) : []),
  ];
}
