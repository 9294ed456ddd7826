import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeystoneServer } from '../cluster/keystone-server.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { startHttpProxy, type HttpProxy } from '../support/http-proxy.ts';
import type { Finished } from '../../tools/process.ts';

/** A test service on a Keystone shared by the tests of a file: its account, catalog entry and files. */
export interface Site extends AsyncDisposable {
  readonly name: string;
  readonly password: string;
  /** The proxy between the helper and Keystone. */
  readonly proxy: HttpProxy;
  /** Runs `kolla-bootstrap NAME --public-url ... --internal-url ...` as the admin of Keystone. */
  bootstrap(words?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** The same with `kolla-bootstrap plan`. */
  plan(words?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** The same with `kolla-bootstrap delete`. */
  delete(words?: readonly string[]): Promise<Finished>;
  /** Runs kolla-bootstrap with these arguments, for another service. */
  other(words: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Requests that change Keystone and came through the proxy: all except GETs and token requests. */
  writes(): string[];
  /** The endpoints that it has in Keystone. */
  endpoints(): Promise<{ id: string; interface: string; url: string; enabled: boolean }[]>;
}

interface Entity {
  readonly id: string;
  readonly [key: string]: unknown;
}

/** Keystone's API, used as admin. */
export interface Admin {
  readonly ask: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
  readonly list: (path: string) => Promise<Entity[]>;
  /** A token of that user, scoped to the project `service`, or the status with which it was rejected. */
  readonly login: (name: string, password: string) => Promise<string | number>;
  /** The status of a request with that token. */
  readonly use: (token: string) => Promise<number>;
}

/** uWSGI closes each connection without saying so in its response: the next request could meet the end of it. */
const CLOSE = { connection: 'close' };

/** Logs in to Keystone without the proxy, so that the tests' own requests are not counted. */
export async function adminOf({ url, adminPassword }: KeystoneServer): Promise<Admin> {
  const tokenOf = async (name: string, password: string, project: string): Promise<string | number> => {
    const domain = { id: 'default' };
    const identity = { methods: ['password'], password: { user: { name, domain, password } } };
    const reply = await fetch(`${url}/auth/tokens?nocatalog`, {
      method: 'POST',
      headers: { ...CLOSE, 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope: { project: { name: project, domain } } } }),
    });
    await reply.text();
    return reply.headers.get('x-subject-token') ?? reply.status;
  };
  const token = String(await tokenOf('admin', adminPassword, 'admin'));
  const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { ...CLOSE, 'x-auth-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Keystone answers ${reply.status} to ${method} ${path}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
  return {
    ask,
    list: async (path) => {
      const { links: _links, truncated: _truncated, ...rest } = await ask('GET', path);
      return Object.values(rest)[0] as Entity[];
    },
    login: (name, password) => tokenOf(name, password, 'service'),
    use: async (own) => (await fetch(`${url}/auth/catalog`, { headers: { ...CLOSE, 'x-auth-token': own } })).status,
  };
}

let count = 0;

/** A service in kolla-pod.yaml that differs from Placement only by name, so that tests do not collide. */
export async function newSite(keystone: KeystoneServer, admin: Admin): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('bootstrap')).path;
  const proxy = stack.use(await startHttpProxy(keystone.port));
  const name = `svc${++count}`;
  const password = `hidden-${crypto.randomUUID()}`;
  const at = (file: string) => join(directory, file);
  await writeFile(at('kolla-pod.yaml'), JSON.stringify({ services: { [name]: serviceLike(name, at('svc.conf')) } }));
  await writeFile(
    at('svc.conf'),
    `[keystone_authtoken]\nusername = ${name}\npassword = ${password}\nproject_name = service\n`,
  );
  const base = {
    KOLLA_POD_CONFIG: at('kolla-pod.yaml'),
    OS_AUTH_URL: `http://127.0.0.1:${proxy.port}/v3`,
    OS_USERNAME: 'admin',
    OS_PASSWORD: keystone.adminPassword,
    OS_PROJECT_NAME: 'admin',
    KOLLA_BOOTSTRAP_PUBLIC_URL: 'https://api.example.com:{port}',
    KOLLA_BOOTSTRAP_INTERNAL_URL: 'http://{name}:{port}',
    KOLLA_BOOTSTRAP_TIMEOUT: '1h',
  };
  const moved = stack.move();
  return {
    name,
    password,
    proxy,
    bootstrap: (words = [], env = {}) => runHelper('kolla-bootstrap', [name, ...words], { env: { ...base, ...env } }),
    plan: (words = [], env = {}) =>
      runHelper('kolla-bootstrap', ['plan', name, ...words], { env: { ...base, ...env } }),
    delete: (words = []) => runHelper('kolla-bootstrap', ['delete', name, ...words], { env: base }),
    other: (words, env = {}) => runHelper('kolla-bootstrap', words, { env: { ...base, ...env } }),
    writes: () =>
      proxy.passed
        .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v3/auth/tokens'))
        .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{32}/g, 'ID')}`),
    async endpoints() {
      const services = await admin.list(`/services?name=${name}`);
      const all = await Promise.all(services.map(({ id }) => admin.list(`/endpoints?service_id=${id}`)));
      return all.flat().map((one) => {
        const { id, interface: side, url, enabled } = one as never as Awaited<ReturnType<Site['endpoints']>>[number];
        return { id, interface: side, url, enabled };
      });
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function serviceLike(name: string, configFile: string): object {
  const place = (key: string) => ({ section: 'keystone_authtoken', key });
  const path = { port: 8780, path: '' };
  return {
    configFile,
    databases: [],
    migration: { phases: { all: [{ argv: ['true'] }] } },
    identity: {
      users: [
        {
          name,
          grants: [
            { role: 'admin', project: 'service' },
            { role: 'service', project: 'service' },
          ],
          places: { name: place('username'), password: place('password'), project: place('project_name') },
        },
      ],
      services: [{ name, type: `type-${name}`, description: 'of a test', endpoints: { public: path, internal: path } }],
    },
  };
}
