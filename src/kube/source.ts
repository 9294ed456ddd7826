import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defined } from '../core/defined.ts';
import { ConfigError } from '../core/errors.ts';
import type { CredentialSource } from './credentials.ts';
import type { KubeClient } from './types.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The options of a command that is run on a workstation too. */
export interface ClusterChoice {
  /** A context of the kubeconfig. */
  readonly context: string | undefined;
}

/**
 * Source of credentials: the given kubeconfig, else the Pod's ServiceAccount unless a context is given, else the user's
 * kubeconfig. Throws ConfigError if there is none.
 */
export function kubeSource(
  kubeconfig: string | undefined,
  inherited: NodeJS.ProcessEnv,
  choice?: ClusterChoice,
): CredentialSource {
  const context = choice?.context;
  if (kubeconfig !== undefined)
    return { kind: 'kubeconfig', files: kubeconfig.split(delimiter).filter(Boolean), ...defined({ context }) };
  const pod = context === undefined ? podSource(inherited) : undefined;
  if (pod !== undefined) return pod;
  const { HOME: home } = inherited;
  const own = home === undefined ? undefined : join(home, '.kube/config');
  if (own !== undefined && existsSync(own)) return { kind: 'kubeconfig', files: [own], ...defined({ context }) };
  const several = choice === undefined ? '' : ' and, if it has several clusters, --context NAME';
  throw new ConfigError(
    `no cluster is named: there is no ${own ?? '~/.kube/config (HOME is not set)'}, and this is no Pod ` +
      `(KUBERNETES_SERVICE_HOST is not set). Give --kubeconfig FILE${several}, or run it in a Pod with a ServiceAccount`,
  );
}

/** The same for callers that work without an API server: the given kubeconfig, or the Pod's mounted ServiceAccount. */
export function givenKubeSource(
  kubeconfig: string | undefined,
  inherited: NodeJS.ProcessEnv,
  directory = SERVICE_ACCOUNT,
): CredentialSource | undefined {
  if (kubeconfig !== undefined) return kubeSource(kubeconfig, inherited);
  return existsSync(join(directory, 'token')) ? podSource(inherited, directory) : undefined;
}

function podSource(inherited: NodeJS.ProcessEnv, directory = SERVICE_ACCOUNT): CredentialSource | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = inherited;
  return host === undefined || port === undefined ? undefined : { kind: 'in-cluster', host, port, directory };
}

/** Creates the shared client on first use, and disposes of it if it was created. */
export interface LazyKube extends Disposable {
  readonly get: () => Promise<KubeClient>;
}

/**
 * A client for callers that may not need one: loading the code costs more than starting a helper. get() throws what
 * `source` and connectKube() throw.
 * @param namespace namespace to use instead of the one in the credentials
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
