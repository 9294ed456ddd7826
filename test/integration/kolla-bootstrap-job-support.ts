import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeystoneServer } from '../cluster/keystone-server.ts';
import type { SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { processesWith } from '../support/left-over.ts';
import { databaseName } from '../support/names.ts';
import { startHttpProxy, type HttpProxy } from '../support/http-proxy.ts';
import type { Finished, Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** A service on a MariaDB and a Keystone shared by the tests of a file; its tool records its invocations. */
export interface JobSite extends AsyncDisposable {
  readonly name: string;
  readonly password: string;
  /** The proxy between the helper and Keystone. */
  readonly proxy: HttpProxy;
  run(words?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  start(words?: readonly string[]): Promise<Running>;
  /** The same for `plan` and `status`. */
  show(command: 'plan' | 'status', words?: readonly string[]): Promise<Finished>;
  /** The calls of the service's tool, in order. */
  journal(): Promise<string[]>;
  /** Lets the tool's command `first` finish, which waits for this in a site created with `isClosed`. */
  open(): Promise<void>;
  /** Waits until no command of a killed run is left: its guard needs a moment to kill them. */
  alone(): Promise<void>;
  /** Removes the service's Keystone password from its configuration. */
  forgetPassword(): Promise<void>;
  /** The token in the fence row. */
  token(): Promise<number>;
  /** The records, as `phase state`. */
  records(): Promise<string[]>;
  /** Requests that change Keystone and came through the proxy. */
  writes(): string[];
}

/** @param isClosed whether the tool's command waits for open() */
export async function newJobSite(mariadb: SharedMariadb, keystone: KeystoneServer, isClosed = false): Promise<JobSite> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('bootstrap-job')).path;
  const proxy = stack.use(await startHttpProxy(keystone.port));
  const name = databaseName('job');
  const password = `hidden-${crypto.randomUUID()}`;
  const at = (file: string) => join(directory, file);
  await writeFile(at('journal'), '');
  await writeFile(at('kolla-pod.yaml'), JSON.stringify({ services: { [name]: serviceOf(name, directory) } }));
  const database = `[database]\nconnection = mysql+pymysql://${name}:${password}@127.0.0.1:${mariadb.port}/${name}\n`;
  await writeFile(
    at('job.conf'),
    `${database}[keystone_authtoken]\nusername = ${name}\npassword = ${password}\nproject_name = service\n`,
  );
  if (!isClosed) await writeFile(at('open'), '');
  const base = {
    KOLLA_POD_CONFIG: at('kolla-pod.yaml'),
    KOLLA_DB_SYNC_ADMIN_USER: 'root',
    KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
    OS_AUTH_URL: `http://127.0.0.1:${proxy.port}/v3`,
    OS_USERNAME: 'admin',
    OS_PASSWORD: keystone.adminPassword,
    OS_PROJECT_NAME: 'admin',
    KOLLA_BOOTSTRAP_PUBLIC_URL: 'https://api.example.com:{port}',
    KOLLA_BOOTSTRAP_TIMEOUT: '1h',
  };
  const moved = stack.move();
  return {
    name,
    password,
    proxy,
    run: (words = [], env = {}) => runHelper('kolla-bootstrap', [name, ...words], { env: { ...base, ...env } }),
    start: (words = []) => startHelper('kolla-bootstrap', [name, ...words], { env: base, keepOutput: true }),
    show: (command, words = []) => runHelper('kolla-bootstrap', [command, name, ...words], { env: base }),
    journal: async () => (await readFile(at('journal'), 'utf8')).split('\n').filter((line) => line !== ''),
    open: () => writeFile(at('open'), ''),
    async alone() {
      await until('no command to be left', async (saw) => {
        const left = processesWith(directory);
        saw(left);
        return left.length === 0 || undefined;
      });
    },
    forgetPassword: () => writeFile(at('job.conf'), database),
    async token() {
      const [row] = await mariadb.query(`SELECT token FROM ${name}.kolla_pod_fence`);
      return Number(row?.['token']);
    },
    async records() {
      const rows = await mariadb.query(`SELECT phase, state FROM ${name}.kolla_pod_record ORDER BY phase`);
      return rows.map(({ phase, state }) => `${phase} ${state}`);
    },
    writes: () =>
      proxy.passed
        .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v3/auth/tokens'))
        .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{32}/g, 'ID')}`),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function serviceOf(name: string, directory: string): object {
  const place = (key: string) => ({ section: 'keystone_authtoken', key });
  const says = (word: string, more = '') => ['sh', '-c', `echo ${word} >>${directory}/journal${more}`];
  const untilOpen = `; until [ -e ${directory}/open ]; do sleep 0.05; done; echo first-end >>${directory}/journal`;
  const path = { port: 8790, path: '' };
  return {
    configFile: join(directory, 'job.conf'),
    databases: [{ name, url: [{ section: 'database', key: 'connection' }] }],
    migration: {
      phases: { all: [{ argv: says('schema') }] },
      check: { argv: ['true'], codes: { 0: 'complete' } },
    },
    tool: [
      {
        name: 'first',
        summary: 'of a test',
        steps: [{ argv: says('first', untilOpen) }],
        done: { once: 'ever' },
      },
    ],
    identity: {
      users: [
        {
          name,
          grants: [{ role: 'admin', project: 'service' }],
          places: { name: place('username'), password: place('password'), project: place('project_name') },
        },
      ],
      services: [{ name, type: `type-${name}`, description: 'of a test', endpoints: { public: path } }],
    },
  };
}
