import { ConfigError } from '../../core/errors.ts';
import type { ProxyEnv } from './agents.ts';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
type Name = (typeof NAMES)[number];

/** The environment's words on proxies: HTTP_PROXY for http:// URLs, HTTPS_PROXY for https:// ones, NO_PROXY for whom not. */
export function proxyEnvOf(env: NodeJS.ProcessEnv): ProxyEnv {
  const both = NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(both.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The variable of the proxy that a URL is asked by way of. */
export function proxyNameOf({ protocol }: URL): Name {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/**
 * What of that is for these URLs, as Node's agents understand it: of a proxy without a scheme, and of one that they don't
 * know, they say nothing and go past it, and what is no URL they show with its password.
 * @throws ConfigError with the variable's name, and never its value
 */
export function proxiesFor(urls: readonly URL[], env: ProxyEnv): ProxyEnv {
  const names = new Set<Name>(['NO_PROXY', ...urls.map(proxyNameOf)]);
  const found = [...names].flatMap((name) => {
    // In the order in which Node looks, for whom an empty one is none.
    const spelling = [name.toLowerCase(), name].find((each) => (env[each] ?? '') !== '');
    if (spelling === undefined) return [];
    const value = env[spelling] ?? '';
    return [[name, name === 'NO_PROXY' ? value : proxyUrl(spelling, value.trim())]];
  });
  return Object.fromEntries(found);
}

/** As curl takes it: without a scheme it is http://. */
function proxyUrl(name: string, value: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoginWhole(url))
    throw new ConfigError(
      `${name}: a proxy is http://HOST:PORT or https://HOST:PORT; in a user or password / ? # @ % are %2F %3F %23 %40 %25`,
    );
  return url.href;
}

/** Of a password with a slash the rest would be a path, and its beginning a port. */
function isLoginWhole({ username, password, pathname, search, hash }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return !`${pathname}${search}${hash}`.includes('@');
}
