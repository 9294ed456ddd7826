/**
 * The common interface of a real Elasticsearch or OpenSearch:
 *
 *   a program with its own directory (elasticsearch.ts, elasticsearch-9.ts, opensearch.ts) -> started in a process group
 *     -> polled until it responds -> requests, counts and searches; stopped, killed and restarted at the same address
 *
 * A program that exits before it responds is an error with the end of its log.
 */
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { start, tailOf, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { requester } from './search-request.ts';

/** How to log in to a server with TLS. */
export interface Login {
  /** The CA of its certificate, in PEM. */
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

export interface SearchServer extends AsyncDisposable {
  /** The kind of server, as in `--to`. */
  readonly kind: 'elasticsearch' | 'opensearch';
  readonly url: string;
  /** The pid of its launcher, which leads the process group. */
  readonly pid: number;
  /** Undefined if the server needs no login. */
  readonly login: Login | undefined;
  /** Sends one request. A status of 400 and above is returned like any other. */
  request(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Makes all indexed documents visible to searches. */
  refresh(): Promise<void>;
  /** Number of documents in the index or pattern after a refresh; 0 if it does not exist. */
  count(index: string): Promise<number>;
  /** The documents that a search body finds, with `_id` and `_source`. */
  search(index: string, body: object): Promise<Hit[]>;
  /** Shuts the server down cleanly; its data is kept. */
  stop(): Promise<void>;
  /** Kills the server, as a power failure would; its data is kept. */
  kill(): Promise<void>;
  /** Starts the server again after stop or kill, at the same address and with the same data. */
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

/** Options that all servers have. */
export interface SearchServerOptions {
  /** The listen address. */
  readonly host?: string;
  /** The port; by default a free one. */
  readonly port?: number;
  /**
   * Arguments before its command line, for another network namespace: `nsenter --net=FILE --`. Requests are sent from
   * there too.
   */
  readonly launcher?: readonly string[];
  /** Additional settings of the server. */
  readonly settings?: Settings;
}

export type Settings = Readonly<Record<string, string | number | boolean>>;

/** What differs between the servers. */
export interface SearchProgram {
  readonly kind: SearchServer['kind'];
  readonly login?: Login;
  /** Time it may take to stop; the default is 10 s. */
  readonly stopMs?: number;
  /** Writes the server's own directory, and returns how to start it there. */
  readonly configure: (
    directory: string,
    settings: Settings,
  ) => Promise<{ argv: readonly string[]; env: NodeJS.ProcessEnv }>;
}

/** Starts a server and waits until it responds. */
export async function startSearchServer(
  { kind, login, stopMs, configure }: SearchProgram,
  { host = '127.0.0.1', port: wanted, launcher = [], settings = {} }: SearchServerOptions,
): Promise<SearchServer> {
  const port = wanted ?? (await freePort());
  const url = `${login === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('es', inMemory()));
  const command = await configure(directory.path, { 'network.host': host, 'http.port': port, ...settings });
  const request = requester(url, { launcher, ...(login && { login }) });
  const logFile = join(directory.path, 'out.txt');
  let running: Running;

  const up = async (): Promise<void> => {
    const [program = '', ...args] = [...launcher, ...command.argv];
    running = await start(program, args, { env: command.env, cwd: directory.path, logFile });
    const { child } = running;
    await until(`${kind} to respond`, async (saw) => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${kind} exited with ${child.exitCode ?? child.signalCode}: ${tailOf(logFile)}`);
      // From another network each request costs a process, which would slow down the start.
      if (launcher.length > 0 && !tailOf(logFile).includes('] started ')) return undefined;
      const reply = await request('GET', '/_cluster/health').catch(saw);
      if (reply?.status === 200) return true;
      if (reply !== undefined) saw(reply);
      return undefined;
    });
  };
  stack.defer(async () => void (await running?.stop(stopMs)));
  await up();
  const resources = stack.move();
  return {
    kind,
    url,
    login,
    get pid() {
      return running.pid;
    },
    ...searchClient(request),
    stop: async () => void (await running.stop(stopMs)),
    async kill() {
      process.kill(-running.pid, 'SIGKILL');
      await running.ended;
    },
    restart: up,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Sends requests to a server, however it was started. */
export type SearchClient = Pick<SearchServer, 'request' | 'refresh' | 'count' | 'search'>;

/** Operations of search servers, as HTTP requests. */
export function searchClient(request: SearchServer['request']): SearchClient {
  const refresh = async (): Promise<void> => void ok(await request('POST', '/_refresh'));
  /** A newly created index may have no active shard yet. */
  const ask = async (method: string, path: string, body?: object): Promise<unknown> =>
    await until(`${method} ${path} to find its shards`, async () => {
      await refresh();
      const reply = await request(method, path, body);
      return reply.status === 503 ? undefined : ok(reply);
    });
  return {
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
  };
}

function ok({ status, body }: Reply): unknown {
  if (status < 300) return body;
  throw new Error(`the server answered ${status}: ${JSON.stringify(body).slice(0, 1000)}`);
}
