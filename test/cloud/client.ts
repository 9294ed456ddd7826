/**
 * OpenStack's real client, in a Pod of its own in the cloud's network, of no service, so that it outlives each of them:
 *
 *   openstack('server', 'create', ...) -> kubectl exec client -- openstack ... -> its stdout
 *   get('nova', '/servers/ID')         -> the API itself, for waits: a start of the client costs two seconds of CPU
 */
import { messageOf } from '../../src/core/errors.ts';
import { until } from '../support/until.ts';
import type { Stage } from './stage.ts';
import { toolPod } from './tool-pod.ts';

export const CLIENT_POD = 'client';

/** An account, as in an openrc file: OS_USERNAME ... */
export type Account = Readonly<Record<`OS_${string}`, string>>;

export function accountOf(user: string, password: string, project: string): Account {
  return {
    OS_AUTH_TYPE: 'password',
    OS_USERNAME: user,
    OS_PASSWORD: password,
    OS_PROJECT_NAME: project,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    ...ANY_ACCOUNT,
  };
}

/** Settings of every account. */
export const ANY_ACCOUNT: Account = {
  OS_AUTH_URL: 'http://keystone:5000/v3',
  OS_IDENTITY_API_VERSION: '3',
  OS_INTERFACE: 'internal',
  OS_REGION_NAME: 'RegionOne',
};

/** Ports of the APIs' Services, and their path before that of a request. */
const APIS = {
  nova: { port: 8774, base: '/v2.1' },
  cinder: { port: 8776, base: '/v3/{project}' },
  glance: { port: 9292, base: '/v2' },
  neutron: { port: 9696, base: '/v2.0' },
  heat: { port: 8004, base: '/v1/{project}' },
  keystone: { port: 5000, base: '/v3' },
} as const;
export type Api = keyof typeof APIS;

export interface Client {
  /** Runs the client; rejects with its error. */
  openstack(...args: readonly string[]): Promise<string>;
  /** Runs the client with `-f json` and parses its output. */
  json<T>(...args: readonly string[]): Promise<T>;
  /** The ID of a created object; what else the client prints is left out. */
  id(...args: readonly string[]): Promise<string>;
  /** Another program in the client's Pod. */
  exec(...command: readonly string[]): Promise<string>;
  /** Writes a text to a file in the client's Pod. */
  write(path: string, text: string): Promise<void>;
  /** A GET of an API; undefined for 404. Any other failure rejects. */
  get<T>(api: Api, path: string): Promise<T | undefined>;
  /** A POST of JSON to an API; undefined for 404, and an empty reply is null. */
  post<T>(api: Api, path: string, body: object): Promise<T | undefined>;
  /** The same client as another user. */
  as(account: Account): Client;
}

/**
 * Starts the Pod and returns its client.
 * @param volumes sources of further volumes, by the path of the mount
 */
export async function startClient(
  stage: Stage,
  account: Account,
  volumes: Readonly<Record<string, object>> = {},
): Promise<Client> {
  const pod = toolPod(stage.release, CLIENT_POD, ['sleep', 'infinity'], { volumes });
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify(pod));
  await stage.kubectl(['wait', '--for=condition=Ready', `pod/${CLIENT_POD}`, '--timeout=-1s']);
  return clientOf(stage, account);
}

function clientOf(stage: Stage, account: Account): Client {
  const exec = (...command: readonly string[]) => stage.kubectl(['exec', CLIENT_POD, '--', ...command]);
  const settings = Object.entries(account).map(([name, value]) => `${name}=${value}`);
  const openstack = async (...args: readonly string[]) => {
    return await exec('env', ...settings, 'openstack', ...args).catch((error: unknown) => {
      // The error must not contain the account's variables, one of which is the password.
      const text = settings.reduce((left, setting) => left.replaceAll(` ${setting}`, ''), messageOf(error));
      throw new Error(text);
    });
  };
  const json = async <T>(...args: readonly string[]) => JSON.parse(await openstack(...args, '-f', 'json')) as T;
  let login: Promise<Login> | undefined;
  const send = async (api: Api, path: string, body?: object): Promise<Response> => {
    login ??= loginOf(stage, account);
    const { token, project } = await login;
    const { port, base } = APIS[api];
    const url = `http://127.0.0.1:${await stage.reach(api, port)}${base.replace('{project}', project)}${path}`;
    const version = api === 'nova' && { 'openstack-api-version': 'compute 2.79' };
    const headers = { 'x-auth-token': token, connection: 'close', ...version };
    if (body === undefined) return await fetch(url, { headers });
    const jsonHeaders = { ...headers, 'content-type': 'application/json' };
    return await fetch(url, { method: 'POST', headers: jsonHeaders, body: JSON.stringify(body) });
  };
  const ask = async <T>(api: Api, path: string, body?: object): Promise<T | undefined> => {
    let reply = await send(api, path, body);
    if (reply.status === 401) {
      // A token lives for an hour.
      login = undefined;
      reply = await send(api, path, body);
    }
    if (reply.status === 404) return undefined;
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${api} ${path}: status ${reply.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text || 'null') as T;
  };
  return {
    openstack,
    exec,
    json,
    // Heat prints events before the ID.
    id: async (...args) => (await openstack(...args, '-f', 'value', '-c', 'id')).trim().split('\n').at(-1) ?? '',
    // The text is an argument, because `kubectl exec` may lose a short stdin.
    write: async (path, text) =>
      void (await exec(
        'bash',
        '-c',
        'base64 --decode <<< "$1" > "$2"',
        'bash',
        Buffer.from(text).toString('base64'),
        path,
      )),
    get: (api, path) => ask(api, path),
    post: (api, path, body) => ask(api, path, body),
    as: (other) => clientOf(stage, other),
  };
}

interface Login {
  readonly token: string;
  readonly project: string;
}

async function loginOf(stage: Stage, account: Account): Promise<Login> {
  const user = { name: account['OS_USERNAME'], domain: { name: 'Default' }, password: account['OS_PASSWORD'] };
  const scope = { project: { name: account['OS_PROJECT_NAME'], domain: { name: 'Default' } } };
  const reply = await fetch(`http://127.0.0.1:${await stage.reach('keystone', APIS.keystone.port)}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
  });
  if (reply.status !== 201) throw new Error(`Keystone: status ${reply.status}: ${await reply.text()}`);
  const { token } = (await reply.json()) as { token: { project: { id: string } } };
  return { token: reply.headers.get('x-subject-token') ?? '', project: token.project.id };
}

/** The status fields of an API object. */
interface Stated {
  readonly status?: string;
  /** Heat's. */
  readonly stack_status?: string;
  readonly fault?: { readonly message: string };
}

/**
 * Polls an object until it has one of the states; the APIs have no events. Rejects as soon as it is in error.
 * @param path `/servers/ID`; the reply's only key has the object
 */
export async function stateOf(client: Client, api: Api, path: string, ...wanted: readonly string[]): Promise<void> {
  await until(`${api} ${path} to be ${wanted.join(' or ')}`, async (saw) => {
    const reply = await client.get<Record<string, Stated>>(api, path);
    const [object] = Object.values(reply ?? {});
    if (object === undefined) throw new Error(`${api} ${path} does not exist`);
    const state = object.status ?? object.stack_status ?? '';
    saw(state);
    if (/error|failed/i.test(state) && !wanted.includes(state))
      throw new Error(`${api} ${path}: ${state}: ${object.fault?.message ?? 'no reason given'}`);
    return wanted.includes(state) || undefined;
  });
}

/** Polls until an object no longer exists. */
export async function goneFrom(client: Client, api: Api, path: string): Promise<void> {
  await until(`${api} ${path} to be gone`, async () => (await client.get(api, path)) === undefined || undefined);
}
