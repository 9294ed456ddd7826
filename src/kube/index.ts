/**
 * Access to the API server. Loaded only on use: loading the code for credentials alone takes as long as starting a
 * helper.
 *
 *   ServiceAccount or kubeconfig -> credentials (rare logins: KubeConfig of client-node, nothing else of it)
 *   -> two connection pools (net/pool) -> one watch loop (follow) -> observations of an object, or of a set: existing,
 *   deleted, connection trouble.
 *   In addition: get, request, discover, with one response each.
 *
 * client-node's own Watch is not used: it treats an idle watch as dead after 30 s, swallows errors of handlers, and its
 * informer ends on the first error. The watch loop requests bookmarks, replaces a connection that was silent for 90 s,
 * starts over on 410, backs off as the server asks, and polls if watching is denied. Unrecoverable: no credentials
 * (65), and neither watch nor get permitted (77, with the Role to apply).
 */
import { ConfigError, messageOf } from '../core/errors.ts';
import { within } from '../core/abort.ts';
import { APPLY, METADATA } from './api.ts';
import { ApiClient } from './client.ts';
import { credentialsFrom, nameOf, type CredentialSource } from './credentials.ts';
import type { Discovery } from './discover.ts';
import { TIMING, type Timing } from './timing.ts';
import type { KubeClient } from './types.ts';
import { watchObject, watchSet } from './watch.ts';

export { ApiError } from './api-error.ts';
export type { CredentialSource } from './credentials.ts';
export { collectionPath, objectPath } from './path.ts';
export { TIMING, type Timing } from './timing.ts';
export type * from './types.ts';

/** Reads the credentials once to find the namespace; connects with the first watch. Throws ConfigError. */
export async function connectKube(source: CredentialSource, timing: Timing = TIMING): Promise<KubeClient> {
  const credentials = credentialsFrom(source);
  const { namespace, server } = await firstOf(credentials(false), source, timing);
  const client = new ApiClient(credentials, timing);
  let discovery: Discovery | undefined;
  return {
    namespace,
    server: server.href,
    watch: (ref, options) => watchObject(client, ref, options, timing),
    watchSet: (ref, options) => watchSet(client, ref, options, timing),
    get: (path, { signal, metadataOnly = false }) =>
      client.ask(metadataOnly ? { path, accept: METADATA } : { path }, signal),
    request: (method, path, body, { signal }) => client.ask({ method, path, body }, signal),
    apply: (path, body, { signal, manager, force = true }) =>
      client.ask(
        { method: 'PATCH', path: `${path}?fieldManager=${manager}&force=${force}`, body, type: APPLY },
        signal,
      ),
    async discover(what, { signal }) {
      // Few waits need it.
      const { Discovery: Used } = await import('./discover.ts');
      discovery ??= new Used(client);
      return await discovery.find(what, signal);
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

/** With a timeout, because an exec plugin may prompt for input. */
async function firstOf<T>(credentials: Promise<T>, source: CredentialSource, { answerMs }: Timing): Promise<T> {
  try {
    return await within(credentials, answerMs, `no credentials from ${nameOf(source)}`);
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(messageOf(error), { cause: error });
  }
}
