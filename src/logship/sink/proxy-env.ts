import type { ProxyEnv } from './agents.ts';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/** The environment's words on proxies: HTTP_PROXY for http:// URLs, HTTPS_PROXY for https:// ones, NO_PROXY for whom not. */
export function proxyEnvOf(env: NodeJS.ProcessEnv): ProxyEnv {
  const both = NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(both.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
