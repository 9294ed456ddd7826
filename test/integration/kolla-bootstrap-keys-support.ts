import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keystone as unpackedKeystone, keystoneConf } from '../cluster/keystone.ts';
import { databaseName, namespaceName, type SharedControlPlane, type SharedMariadb } from '../servers/index.ts';
import { runHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { must, start, tailOf, tied, type Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';

export const NAMESPACE = namespaceName('openstack');
/** The database and the account of the replicas. */
export const DATABASE = databaseName('keystone');
export const FERNET = 'keystone-fernet-keys';
export const CREDENTIAL = 'keystone-credential-keys';

/** The rotation does not wait for replicas, because the test itself distributes the keys. */
export const AT_ONCE = ['--settle', '0'];

/** A Secret, as a test sees it. */
export interface Keys {
  readonly version: string;
  /** Keys by number. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Runs `kolla-bootstrap keys ACTION keystone` against that cluster. */
export function runKeys(
  cluster: Pick<SharedControlPlane, 'kubeconfig'>,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const base = { KUBECONFIG: cluster.kubeconfig, KOLLA_BOOTSTRAP_NAMESPACE: NAMESPACE, KOLLA_BOOTSTRAP_TIMEOUT: '1h' };
  return runHelper('kolla-bootstrap', ['keys', ...words], { env: { ...base, ...env } });
}

/** The keys that the API server has. */
export async function keysOf(cluster: SharedControlPlane, secret: string, namespace = NAMESPACE): Promise<Keys> {
  const text = await cluster.kubectl([`--namespace=${namespace}`, 'get', 'secret', secret, '--output=json']);
  const { metadata, data = {} } = JSON.parse(text) as {
    metadata: { resourceVersion: string };
    data?: Record<string, string>;
  };
  const keys = Object.entries(data).map(([id, value]) => [id, Buffer.from(value, 'base64').toString()]);
  return { version: metadata.resourceVersion, keys: Object.fromEntries(keys) as Record<string, string> };
}

/** Writes keys into a directory as the kubelet does: a directory per version, and symlinks to the current one. */
export async function mount(directory: string, { keys, version }: Keys): Promise<void> {
  const data = join(directory, `..v${version}`);
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true });
  for (const [id, key] of Object.entries(keys)) await writeFile(join(data, id), key);
  await symlink(`..v${version}`, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  const there = (await readdir(directory)).filter((name) => !name.startsWith('..'));
  for (const id of Object.keys(keys).filter((each) => !there.includes(each)))
    await symlink(`..data/${id}`, join(directory, id));
  for (const id of there.filter((each) => !Object.hasOwn(keys, each))) await rm(join(directory, id));
}

/** One of several Keystones that have the same database and separate key directories. */
export interface Replica extends AsyncDisposable {
  readonly configFile: string;
  /** Gives the replica the current keys of the cluster. Until then it uses the old ones. */
  sync(): Promise<void>;
  /** A token of the admin, or the status with which it was rejected. */
  token(): Promise<string>;
  /** Status of a request with that token: 200, or 401 if the token is invalid here. */
  use(token: string): Promise<number>;
  /** Sends a request as the admin and returns status and body. */
  ask(method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, never> }>;
  /** Runs `keystone-manage` with its configuration. */
  manage(...words: string[]): Promise<string>;
}

const PASSWORD = 'of-a-test';
/** Far more than a busy machine takes, and less than a test's limit. */
const ANSWER_MS = 60_000;

/** The shared database, which is empty until a replica runs `manage('db_sync')`. */
export async function shareDatabase(mariadb: SharedMariadb): Promise<string> {
  await mariadb.query(
    `CREATE DATABASE ${DATABASE}; CREATE USER ${DATABASE}@'%' IDENTIFIED BY 'kpw'; GRANT ALL ON ${DATABASE}.* TO ${DATABASE}@'%'`,
  );
  return `mysql+pymysql://${DATABASE}:kpw@${mariadb.host}:${mariadb.port}/${DATABASE}`;
}

/** The files of a replica, before it is started. */
export async function replicaFiles(
  cluster: SharedControlPlane,
  directory: string,
  connection: string,
): Promise<Omit<Replica, keyof AsyncDisposable | 'token' | 'use' | 'ask'>> {
  const [configFile, keys] = [join(directory, 'keystone.conf'), join(directory, 'keys')];
  for (const each of ['log', 'keys/fernet-keys', 'keys/credential-keys'])
    await mkdir(join(directory, each), { recursive: true });
  const conf = keystoneConf({ connection, keys, logDirectory: join(directory, 'log') });
  await writeFile(configFile, `${conf}[identity]\npassword_hash_rounds = 4\n`);
  const { manage } = await unpackedKeystone();
  return {
    configFile,
    sync: async () => {
      await mount(join(keys, 'fernet-keys'), await keysOf(cluster, FERNET));
      await mount(join(keys, 'credential-keys'), await keysOf(cluster, CREDENTIAL));
    },
    manage: async (...words) => {
      const { command, args, env } = manage(configFile);
      return await must(command, [...args, ...words], { env: { ...env, OS_BOOTSTRAP_PASSWORD: PASSWORD } });
    },
  };
}

/** Starts the replica, and waits until it responds. */
export async function startReplica(
  files: Awaited<ReturnType<typeof replicaFiles>>,
  directory: string,
): Promise<Replica> {
  const [port, logFile] = [await freePort(), join(directory, 'uwsgi.log')];
  const url = `http://127.0.0.1:${port}/v3`;
  const { serve } = await unpackedKeystone();
  const { command, args, env } = serve({ configFile: files.configFile, port });
  const running = await start(...tied(command, args), { env, logFile, throwAway: true });
  await until('Keystone to answer', async () => {
    if (running.child.exitCode !== null) throw new Error(`Keystone ended: ${tailOf(logFile)}`);
    return await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  });
  const askFor = async (path: string, init: Omit<RequestInit, 'signal'> = {}): Promise<Response> => {
    try {
      // uWSGI closes each connection without saying so in its response: the next request could meet the end of it.
      const headers = { ...(init.headers as Record<string, string>), connection: 'close' };
      return await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(ANSWER_MS) });
    } catch (cause) {
      throw new Error(`${init.method ?? 'GET'} ${path} on port ${port} failed; ${tailOf(logFile)}`, { cause });
    }
  };
  const token = async (): Promise<string> => {
    const domain = { id: 'default' };
    const identity = { methods: ['password'], password: { user: { name: 'admin', domain, password: PASSWORD } } };
    const reply = await askFor('/auth/tokens?nocatalog', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope: { project: { name: 'admin', domain } } } }),
    });
    await reply.text();
    return reply.headers.get('x-subject-token') ?? `status ${reply.status}`;
  };
  return {
    ...files,
    token,
    use: async (own) => {
      const reply = await askFor('/auth/catalog', { headers: { 'x-auth-token': own } });
      await reply.text();
      return reply.status;
    },
    ask: async (method, path, body) => {
      const headers = { 'x-auth-token': await token(), 'content-type': 'application/json' };
      const reply = await askFor(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, never> };
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** A directory for PATH that contains keystone-manage. */
export async function toolDirectory(directory: string): Promise<NodeJS.ProcessEnv> {
  const { manage } = await unpackedKeystone();
  const { command, args, env } = manage('');
  const path = join(directory, 'keystone-manage');
  await writeFile(path, `#!/bin/sh\nexec ${command} ${args[0]} "$@"\n`, { mode: 0o755 });
  return { ...env, PATH: `${directory}:${env['PATH']}` };
}
