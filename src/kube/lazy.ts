import type { CredentialSource } from './credentials.ts';
import type { KubeClient } from './types.ts';

/** Makes its client at the first call, for all; disposes of it if it was made. */
export interface LazyKube extends Disposable {
  readonly get: () => Promise<KubeClient>;
}

/**
 * A client for who may need none: the code alone costs more than all the rest of a helper's start. get() throws what
 * `source` and connectKube() throw.
 * @param namespace in place of the credentials' own
 */
export function lazyKube(source: () => CredentialSource, namespace?: string): LazyKube {
  let made: Promise<KubeClient> | undefined;
  let client: KubeClient | undefined;
  const make = async () => {
    const found = source();
    const { connectKube } = await import('./index.ts');
    const connected = await connectKube(found);
    client = namespace === undefined ? connected : { ...connected, namespace };
    return client;
  };
  return {
    get: () => (made ??= make()),
    [Symbol.dispose]: () => client?.[Symbol.dispose](),
  };
}
