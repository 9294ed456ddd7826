/**
 * The one way to the API server. Loaded only by who needs it: credentials alone cost as much as starting a helper.
 *
 *   ServiceAccount or kubeconfig -> credentials (KubeConfig of client-node, nothing else of it) -> one pool of
 *   connections -> a watch by name -> observations: the object, deleted, absent, trouble on the way
 *
 * client-node's own Watch is not used: it takes a quiet watch for dead after 30 s, swallows what a handler throws, and
 * its informer ends at the first error. Ours asks for bookmarks and takes 90 s of silence for a dead connection,
 * begins again on 410, backs off as the server asks, and polls where watching is not allowed. What it can't
 * mend itself: no credentials (65) and neither watch nor get allowed (77, with the Role to apply).
 */
import { ApiClient } from './client.ts';
import { credentialsFrom, type CredentialSource } from './credentials.ts';
import type { KubeClient } from './types.ts';
import { watchObject, TIMING, type Timing } from './watch.ts';

export type { CredentialSource } from './credentials.ts';
export type { KubeClient, KubeObject, ObjectRef, Observation } from './types.ts';

/** Reads the credentials once, to learn the namespace; connects when the first watch does. Throws ConfigError. */
export async function connectKube(source: CredentialSource, timing: Timing = TIMING): Promise<KubeClient> {
  const credentials = credentialsFrom(source);
  const { namespace, server } = await credentials(false);
  const client = new ApiClient(credentials);
  return {
    namespace,
    server: server.href,
    watch: (ref, options) => watchObject(client, ref, options, timing),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
