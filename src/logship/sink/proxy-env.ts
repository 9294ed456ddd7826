import { defined } from '../../core/defined.ts';
import { ConfigError } from '../../core/errors.ts';
import { isExempt } from '../../net/proxy.ts';
import { addressOf } from '../../net/url-parts.ts';

/** The proxy variables of the environment, in both spellings. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
type Name = (typeof NAMES)[number];

/**
 * The proxy variables of the environment: HTTP_PROXY for http:// URLs, HTTPS_PROXY for https:// ones, NO_PROXY for
 * exceptions.
 */
export function proxyEnvOf(env: NodeJS.ProcessEnv): ProxyEnv {
  const both = NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return defined(Object.fromEntries(both.map((name) => [name, env[name]])));
}

/** The variable that contains the proxy for a URL. */
export function proxyNameOf({ protocol }: URL): Name {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/**
 * The proxy settings for these URLs, validated.
 * @throws ConfigError with the variable's name, and never its value
 */
export function proxiesFor(urls: readonly URL[], env: ProxyEnv): ProxyEnv {
  const names = new Set<Name>(['NO_PROXY', ...urls.map(proxyNameOf)]);
  const found = [...names].flatMap((name) => {
    // The lower-case name applies first, as in curl. An empty variable counts as unset.
    const spelling = [name.toLowerCase(), name].find((each) => (env[each] ?? '') !== '');
    if (spelling === undefined) return [];
    const value = env[spelling] ?? '';
    return [[name, name === 'NO_PROXY' ? value : proxyUrl(spelling, value.trim())]];
  });
  return Object.fromEntries(found);
}

/**
 * The proxy for a URL, unless NO_PROXY has its host.
 * @param proxies from proxiesFor()
 */
export function proxyOf(url: URL, proxies: ProxyEnv): URL | undefined {
  const proxy = proxies[proxyNameOf(url)];
  return proxy === undefined || isExempt(addressOf(url), proxies['NO_PROXY'] ?? '') ? undefined : new URL(proxy);
}

/** Without a scheme it is an http:// proxy, as in curl. */
function proxyUrl(name: string, value: string): string {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoginWhole(text, url))
    throw new ConfigError(
      `${name}: a proxy is http://HOST:PORT or https://HOST:PORT; in a user or password / ? # @ % are %2F %3F %23 %40 %25`,
    );
  return url.href;
}

/** A slash in the password would end the authority: the rest would become a path, and its beginning a port. */
function isLoginWhole(text: string, { username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return !/:\/\/[^/?#]*[/?#][^]*@/.test(text);
}
