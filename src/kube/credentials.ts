import { existsSync, readFileSync } from 'node:fs';
import type { Agent, RequestOptions } from 'node:https';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { load } from 'js-yaml';
import { ConfigError, messageOf } from '../core/errors.ts';
import { parseYaml } from '../core/yaml-budget.ts';
import { yamlProblem } from '../core/yaml-problem.ts';
import type { HttpRequest } from '../net/client.ts';

/** Source of the API server's address and of our credentials. */
export type CredentialSource =
  | {
      readonly kind: 'in-cluster';
      readonly host: string;
      readonly port: string;
      /** Directory of the mounted ServiceAccount: token, ca.crt, namespace. */
      readonly directory: string;
    }
  | {
      readonly kind: 'kubeconfig';
      /** Paths of kubeconfigs. As in kubectl, the first file with an entry applies, and missing files are skipped. */
      readonly files: readonly string[];
      /** By default the current one. */
      readonly context?: string | undefined;
    };

export interface Credentials {
  readonly server: URL;
  readonly namespace: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: NonNullable<HttpRequest['connection']>;
  /** Set if an http:// or https:// proxy is used. */
  readonly proxy: URL | undefined;
  /** Set if a SOCKS proxy is used: it opens the connections itself. */
  readonly agent: Agent | undefined;
}

/**
 * Returns a function that reads the current credentials. A ServiceAccount's token is renewed hourly, and a CA may be
 * too: both are read each time. A kubeconfig is parsed again when it changed, or after a 401 (`refused`), so that an
 * exec plugin does not run for each request. Throws ConfigError.
 */
export function credentialsFrom(source: CredentialSource): (refused: boolean) => Promise<Credentials> {
  let loaded: { config: KubeConfig; text: string } | undefined;
  const read = async (refused: boolean): Promise<Credentials> => {
    try {
      if (source.kind === 'in-cluster') return await resolve(fromServiceAccount(source));
      const files = presentOf(source.files);
      if (files.length === 0)
        throw new Error('there is no such file; it is a kubeconfig, as `kubectl config view --raw` prints it');
      const text = files.map((file) => readFileSync(file, 'utf8')).join('\n---\n');
      if (loaded?.text !== text || refused) loaded = { config: inContext(fromFiles(files), source.context), text };
      return await resolve(loaded.config);
    } catch (cause) {
      const fix = source.kind === 'in-cluster' ? '; does the Pod set automountServiceAccountToken: false?' : '';
      throw new ConfigError(`cannot read credentials from ${nameOf(source)}: ${messageOf(cause)}${fix}`, { cause });
    }
  };
  // A hundred watches reconnecting at once run an exec plugin once.
  const reading = new Map<boolean, Promise<Credentials>>();
  return (refused) => {
    const now = reading.get(refused) ?? read(refused).finally(() => reading.delete(refused));
    reading.set(refused, now);
    return now;
  };
}

/** The source's name in messages. */
export function nameOf(source: CredentialSource): string {
  return source.kind === 'in-cluster' ? `the ServiceAccount in ${source.directory}` : source.files.join(':');
}

/** Like KubeConfig.loadFromCluster, which reads the environment itself and does not trim the namespace. */
function fromServiceAccount({ host, port, directory }: Extract<CredentialSource, { kind: 'in-cluster' }>): KubeConfig {
  const config = new KubeConfig();
  const [cluster, user] = ['in-cluster', 'service-account'];
  const address = host.includes(':') ? `[${host}]` : host;
  const namespaceFile = join(directory, 'namespace');
  config.loadFromOptions({
    clusters: [
      { name: cluster, server: `https://${address}:${port}`, caFile: join(directory, 'ca.crt'), skipTLSVerify: false },
    ],
    users: [{ name: user, authProvider: { name: 'tokenFile', config: { tokenFile: join(directory, 'token') } } }],
    contexts: [
      {
        name: cluster,
        cluster,
        user,
        namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : 'default',
      },
    ],
    currentContext: cluster,
  });
  return config;
}

/** The files that exist. */
function presentOf(files: readonly string[]): readonly string[] {
  return files.filter((file) => existsSync(file));
}

/** The configuration with this as its current context. */
function inContext(config: KubeConfig, context: string | undefined): KubeConfig {
  if (context === undefined) return config;
  if (config.getContextObject(context) === null)
    throw new Error(`there is no context '${context}'${contextsOf(config)}`);
  config.setCurrentContext(context);
  return config;
}

function contextsOf({ contexts }: KubeConfig): string {
  return contexts.length === 0
    ? ''
    : `; there is ${contexts
        .map(({ name }) => name)
        .toSorted()
        .join(', ')}`;
}

/** KubeConfig.mergeConfig rejects an entry that two files have. */
function fromFiles(files: readonly string[]): KubeConfig {
  const all = files.map((file) => {
    const config = new KubeConfig();
    let raw: RawConfig;
    try {
      raw = parseYaml(readFileSync(file, 'utf8'), (text) => load(text)) as RawConfig;
      config.loadFromFile(file);
    } catch (error) {
      throw new ConfigError(files.length > 1 ? `${file}: ${yamlProblem(error)}` : yamlProblem(error));
    }
    return withTokenFiles(config, raw, file);
  });
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firsts(all.flatMap(({ clusters }) => clusters)),
    users: firsts(all.flatMap(({ users }) => users)),
    contexts: firsts(all.flatMap(({ contexts }) => contexts)),
    currentContext: all.map((config) => config.currentContext).find(Boolean),
  });
  return merged;
}

/** The first entry of each name. */
function firsts<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()];
}

interface RawConfig {
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } }[];
}

/** kubectl's `tokenFile` of a user, relative to its kubeconfig. KubeConfig ignores it. */
function withTokenFiles(config: KubeConfig, { users = [] }: RawConfig, file: string): KubeConfig {
  config.users = config.users.map((user) => {
    const tokenFile = users.find(({ name }) => name === user.name)?.user?.tokenFile;
    if (tokenFile === undefined) return user;
    return {
      ...user,
      authProvider: { name: 'tokenFile', config: { tokenFile: resolvePath(dirname(file), tokenFile) } },
    };
  });
  return config;
}

async function resolve(config: KubeConfig): Promise<Credentials> {
  const cluster = config.getCurrentCluster();
  if (!cluster)
    throw new Error(`the current context '${config.getCurrentContext() ?? ''}' names no cluster${contextsOf(config)}`);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { headers = {}, ca, cert, key, servername, rejectUnauthorized, auth, agent } = options;
  const isSocks = cluster.proxyUrl?.startsWith('socks') === true;
  // KubeConfig keeps a proxy's agent, whose options override those of each request: renewed files would have no effect.
  if (isSocks) Object.assign((agent as Agent).options, { ca, cert, key });
  return {
    server: new URL(cluster.server),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    headers: trimmed(headers),
    connection: { ca, cert, key, servername, rejectUnauthorized, auth },
    proxy: cluster.proxyUrl === undefined || isSocks ? undefined : new URL(cluster.proxyUrl),
    agent: isSocks ? (agent as Agent) : undefined,
  };
}

/** A token file that was written manually ends with a newline, which is invalid in a header. */
function trimmed(headers: NonNullable<RequestOptions['headers']>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value).trim()]));
}
