/**
 * A real Elasticsearch 8.19 from Maven Central: a server without most of its modules (no `GET /`, no ingest,
 * no ILM), whose bulk, search, templates, security and errors are the real ones.
 *
 *   Maven -> zip -> unpacked once in the cache -> own config, data and log folder a server -> bin/elasticsearch
 *
 * It refuses to run as uid 0, so root runs it in a user namespace that calls root 1000: files stay ours.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { must, run, start, tailOf, type Running } from '../support/process.ts';
import { until } from '../support/until.ts';
import { distribution, javaHome, unprivileged } from './elasticsearch-distribution.ts';

export { canRunElasticsearch } from './elasticsearch-distribution.ts';

const START_MS = 120_000;
const SHARDS_MS = 30_000;

export interface ElasticsearchOptions {
  /** Where it listens. */
  readonly host?: string;
  /** A free one unless given. */
  readonly port?: number;
  /** Words in front of its command line, for another network namespace: `nsenter --net=FILE --`. Requests go that way too. */
  readonly launcher?: readonly string[];
  /** More lines for elasticsearch.yml. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

export interface Elasticsearch extends AsyncDisposable {
  readonly url: string;
  /** The pid of its launcher, which leads the process group. */
  readonly pid: number;
  /** One request; a status from 400 on is returned like any other. */
  request(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Makes everything that was indexed visible to searches. */
  refresh(): Promise<void>;
  /** How many documents the index, a pattern too, holds after a refresh; 0 when there is none. */
  count(index: string): Promise<number>;
  /** The documents that a search body finds, `_id` and `_source`. */
  search(index: string, body: object): Promise<Hit[]>;
  /** Ends it in good order; data stay. */
  stop(): Promise<void>;
  /** Ends it as a power cut would; data stay. */
  kill(): Promise<void>;
  /** After stop or kill, at the same address with the same data. */
  restart(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Hit {
  readonly _id: string;
  readonly _index: string;
  readonly _source: Readonly<Record<string, unknown>>;
}

/** Starts one and waits until it answers. */
export async function startElasticsearch(options: ElasticsearchOptions = {}): Promise<Elasticsearch> {
  const { host = '127.0.0.1', launcher = [], settings = {} } = options;
  const port = options.port ?? (await freePort());
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const folder = await privateFolder('es');
  const command = await configure(folder.path, { 'network.host': host, 'http.port': port, ...settings });
  const request = requester(url, launcher);
  const logFile = join(folder.path, 'out.txt');
  let running: Running;

  const up = async (): Promise<void> => {
    const [program = '', ...args] = [...launcher, ...command.argv];
    running = await start(program, args, { env: command.env, cwd: folder.path, logFile });
    const ended = running.ended.then((code) => {
      throw new Error(`Elasticsearch ended with ${code}: ${tailOf(logFile)}`);
    });
    const answers = until('Elasticsearch to answer', START_MS, async () => {
      const reply = await request('GET', '/_cluster/health').catch(() => undefined);
      return reply?.status === 200 ? true : undefined;
    });
    await Promise.race([answers, ended]);
    ended.catch(() => {}); // its later end is what stop and kill wait for
  };
  const refresh = async (): Promise<void> => void ok(await request('POST', '/_refresh'));
  /** An index that was made a moment ago has no shard to ask yet. */
  const ask = async (method: string, path: string, body?: object): Promise<unknown> =>
    await until(`${method} ${path} to find its shards`, SHARDS_MS, async () => {
      await refresh();
      const reply = await request(method, path, body);
      return reply.status === 503 ? undefined : ok(reply);
    });
  try {
    await up();
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return {
    url,
    get pid() {
      return running.pid;
    },
    request,
    refresh,
    async count(index) {
      const { count } = (await ask('GET', `/${index}/_count?ignore_unavailable=true`)) as { count: number };
      return count;
    },
    async search(index, body) {
      const reply = await ask('POST', `/${index}/_search?ignore_unavailable=true`, body);
      const { hits } = reply as { hits: { hits: Hit[] } };
      return hits.hits;
    },
    stop: async () => void (await running.stop()),
    async kill() {
      process.kill(-running.pid, 'SIGKILL');
      await running.ended;
    },
    restart: up,
    async [Symbol.asyncDispose]() {
      await running.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Writes the server's own folder and returns how to start it there. */
async function configure(
  folder: string,
  settings: Readonly<Record<string, string | number | boolean>>,
): Promise<{ argv: string[]; env: NodeJS.ProcessEnv }> {
  const home = await distribution();
  const config = join(folder, 'config');
  await Promise.all(
    ['config/jvm.options.d', 'data', 'logs', 'tmp'].map((d) => mkdir(join(folder, d), { recursive: true })),
  );
  const keep = ['log4j2.properties', 'roles.yml', 'role_mapping.yml', 'users', 'users_roles'];
  await Promise.all(keep.map((name) => copyFile(join(home, 'config', name), join(config, name))));
  const jvm = await readFile(join(home, 'config/jvm.options'), 'utf8');
  const withoutDumps = jvm.split('\n').filter((line) => !/HeapDump|Xlog:gc/.test(line));
  await writeFile(join(config, 'jvm.options'), withoutDumps.join('\n'));
  const all = {
    'cluster.name': 'kolla-pod-test',
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    'transport.port': 0,
    'discovery.type': 'single-node',
    'xpack.security.enabled': false,
    // A developer's full disk must not make the server read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    ...settings,
  };
  const yaml = Object.entries(all).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(config, 'elasticsearch.yml'), yaml.join(''));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    ES_JAVA_HOME: await javaHome(),
    ES_PATH_CONF: config,
    ES_TMPDIR: join(folder, 'tmp'),
    ES_JAVA_OPTS: '-Xms512m -Xmx512m -XX:TieredStopAtLevel=1',
    CLI_JAVA_OPTS: '-XX:TieredStopAtLevel=1',
  };
  const wrapper = await unprivileged();
  if (wrapper === undefined)
    throw new Error('Elasticsearch refuses uid 0, and neither unshare nor setpriv can change that');
  if (wrapper[0] === 'setpriv') await must('chown', ['-R', '65534:65534', folder]);
  // Its launcher ends with us however we end, and the server ends with the launcher, whose pipe it reads.
  const leash = (await run('setpriv', ['--pdeathsig', 'KILL', 'true']).catch(() => undefined))?.code === 0;
  const ending = leash ? ['setpriv', '--pdeathsig', 'KILL'] : [];
  return { argv: [...wrapper, ...ending, join(home, 'bin/elasticsearch')], env };
}

type Request = Elasticsearch['request'];

const FETCH = `
const { url, method, body } = JSON.parse(process.argv[1]);
const headers = { 'content-type': 'application/json' };
const reply = await fetch(url, { method, headers, body });
console.log(JSON.stringify({ status: reply.status, body: await reply.json() }));`;

/** Requests from where the server is: directly, or by a process behind the launcher. */
function requester(url: string, launcher: readonly string[]): Request {
  return async (method, path, body) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    if (launcher.length === 0) {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(url + path, { method, headers, ...(text === undefined ? {} : { body: text }) });
      return { status: reply.status, body: await reply.json() };
    }
    const [program = '', ...args] = launcher;
    const input = JSON.stringify({ url: url + path, method, body: text });
    const said = await must(program, [...args, process.execPath, '--input-type=module', '-e', FETCH, input]);
    return JSON.parse(said) as Reply;
  };
}

function ok({ status, body }: Reply): unknown {
  if (status < 300) return body;
  throw new Error(`Elasticsearch answered ${status}: ${JSON.stringify(body).slice(0, 1000)}`);
}
