/** Each kind for which kolla-init waits without an API server: successive servers at one address, and the messages. */
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startForwarder } from '../cluster/forwarder.ts';
import { startMariadb } from '../cluster/mariadb.ts';
import { startMemcached } from '../cluster/memcached.ts';
import { startRabbitmq } from '../cluster/rabbitmq.ts';
import { freePort } from '../../tools/port.ts';
import { start, type Running } from '../../tools/process.ts';
import { listenHttp, listenTcp, type Listening } from '../support/server.ts';
import { stopGroup } from '../support/stop-group.ts';
import { until } from '../support/until.ts';

export const COLUMNS = ['met', 'not yet', 'absent', 'wrong answer', 'gone in mid-wait'] as const;

/** Does something while kolla-init is stopped, so that it sees only the result. */
type Unseen = (act: () => Promise<void>) => Promise<void>;
/** An action and the message that follows. The initial state is absent and needs no action. */
export type Act = readonly [column: (typeof COLUMNS)[number], act: (unseen: Unseen) => Promise<unknown>, said: RegExp];

export interface ServerCase {
  readonly kind: string;
  readonly wait: string;
  readonly acts: readonly Act[];
  /** A case that needs a separate wait, which never succeeds. */
  readonly alone?: { readonly column: (typeof COLUMNS)[number]; readonly wait: string; readonly said: RegExp };
}

type MakeCase = (directory: string, stack: AsyncDisposableStack) => Promise<ServerCase>;

const nothing = () => Promise.resolve();
const SMALL_BACKLOG = fileURLToPath(new URL('fixtures/small-backlog.ts', import.meta.url));
/** The backlog in the kernel is larger by one than requested. */
const FULL = 2;

/** Successive servers on one port, of which never two run at the same time. */
class Place {
  #there: AsyncDisposable | undefined;

  async put<T extends AsyncDisposable>(come: () => Promise<T>): Promise<T> {
    await this.clear();
    const there = await come();
    this.#there = there;
    return there;
  }

  async clear(): Promise<void> {
    await this.#there?.[Symbol.asyncDispose]();
    this.#there = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.clear();
  }
}

/**
 * A server stopped as under a debugger: the kernel accepts connections, and nothing responds. Thawed on
 * dispose.
 */
async function frozen<T extends AsyncDisposable & { readonly pid: number }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  await stopGroup(server.pid);
  const end = async () => {
    process.kill(-server.pid, 'SIGCONT');
    await server[Symbol.asyncDispose]();
  };
  return { ...server, pid: server.pid, [Symbol.asyncDispose]: end };
}

/** A server frozen before any client could reach it: it starts elsewhere, then the port is forwarded to it. */
async function startedFrozen(
  port: number,
  startAt: (port: number) => Promise<AsyncDisposable & { readonly pid: number }>,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const elsewhere = await freePort();
  stack.use(await frozen(startAt(elsewhere)));
  stack.use(await startForwarder(elsewhere, port));
  const moved = stack.move();
  return { [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** A server that is not a database: it greets like a mail server, or responds to anything with HTTP. */
function another(port: number): Promise<Listening> {
  return listenTcp((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), '127.0.0.1', port);
}

const tcp: MakeCase = async (_, stack) => {
  const port = await freePort();
  const place = stack.use(new Place());
  const held: Socket[] = [];
  stack.defer(() => {
    for (const socket of held) socket.destroy();
  });
  const fill = async () => {
    for (let nth = 0; nth < FULL; nth++) held.push(connect({ host: '127.0.0.1', port }).on('error', () => {}));
    await until('a full backlog', async (saw) => {
      const waiting = await acceptQueue(port);
      saw(waiting);
      return waiting >= FULL || undefined;
    });
  };
  return {
    kind: 'tcp',
    wait: `tcp://127.0.0.1:${port}`,
    // Anything that accepts connections is ready; the negative case is a name that does not resolve.
    alone: {
      column: 'wrong answer',
      wait: 'tcp://no-such-host.invalid:1',
      said: /^cannot resolve no-such-host\.invalid.* \((ENOTFOUND|EAI_AGAIN)\)$/,
    },
    acts: [
      ['absent', nothing, /^connection refused by \S+ \(ECONNREFUSED\)$/],
      [
        'not yet',
        // A kolla-init that connects before the backlog is full would have what it waits for.
        async (unseen) =>
          await unseen(async () => {
            await place.put(() => frozen(listening(port)));
            await fill();
          }),
        /^no response in 5s$/,
      ],
      ['gone in mid-wait', () => place.clear(), /^connection (refused by|reset).* \(ECONN(REFUSED|RESET)\)$/],
      ['met', () => place.put(() => listenTcp(() => {}, '127.0.0.1', port)), /accepts connections$/],
    ],
  };
};

const http: MakeCase = async (_, stack) => {
  let status = 503;
  const place = stack.use(new Place());
  const { port } = await place.put(() => listenTcp(() => {}));
  await place.clear();
  const answers = () => listenHttp((_request, response) => void response.writeHead(status).end(), port);
  return {
    kind: 'http',
    wait: `http://127.0.0.1:${port}/v3`,
    acts: [
      ['absent', nothing, /ECONNREFUSED/],
      ['not yet', () => place.put(answers), /^status 503$/],
      ['gone in mid-wait', () => place.clear(), /ECONNREFUSED|ECONNRESET|socket hang up/],
      [
        'wrong answer',
        () => place.put(() => listenTcp((socket) => void socket.end('220 mail\r\n'), '127.0.0.1', port)),
        /Parse Error/,
      ],
      [
        'met',
        () => {
          status = 300;
          return place.put(answers);
        },
        /status 300$/,
      ],
    ],
  };
};

const mysql: MakeCase = async (_, stack) => {
  const port = await freePort();
  const place = stack.use(new Place());
  return {
    kind: 'mysql',
    wait: `mysql://127.0.0.1:${port}`,
    acts: [
      ['absent', nothing, /ECONNREFUSED/],
      [
        'not yet',
        () => place.put(() => startedFrozen(port, (at) => startMariadb({ port: at }))),
        /^no response in 5s$/,
      ],
      ['gone in mid-wait', () => place.clear(), /ECONNREFUSED|ECONNRESET/],
      ['wrong answer', () => place.put(() => another(port)), /^the server is not MySQL$/],
      ['met', () => place.put(() => startMariadb({ port })), /greets as .*MariaDB/],
    ],
  };
};

const amqp: MakeCase = async (_, stack) => {
  const port = await freePort();
  const place = stack.use(new Place());
  return {
    kind: 'amqp',
    wait: `amqp://127.0.0.1:${port}`,
    acts: [
      ['absent', nothing, /ECONNREFUSED/],
      [
        'not yet',
        () => place.put(() => startedFrozen(port, (at) => startRabbitmq({ port: at }))),
        /^no response in 5s$/,
      ],
      ['gone in mid-wait', () => place.clear(), /ECONNREFUSED|ECONNRESET/],
      ['wrong answer', () => place.put(() => another(port)), /^the server is not AMQP$/],
      ['met', () => place.put(() => startRabbitmq({ port })), /speaks AMQP 0-9-1$/],
    ],
  };
};

const memcached: MakeCase = async (_, stack) => {
  const port = await freePort();
  const place = stack.use(new Place());
  return {
    kind: 'memcached',
    wait: `memcached://127.0.0.1:${port}`,
    acts: [
      ['absent', nothing, /ECONNREFUSED/],
      ['not yet', () => place.put(() => startedFrozen(port, startMemcached)), /^no response in 5s$/],
      ['gone in mid-wait', () => place.clear(), /ECONNREFUSED|ECONNRESET/],
      ['wrong answer', () => place.put(() => another(port)), /^the server is not memcached$/],
      ['met', () => place.put(() => startMemcached(port)), /version 1\./],
    ],
  };
};

const file: MakeCase = (directory) => {
  const path = join(directory, 'config');
  return Promise.resolve({
    kind: 'file',
    wait: `file:${path}/`,
    acts: [
      ['absent', nothing, /^does not exist yet$/],
      ['not yet', () => symlink('data', path), /^a link to data, which does not exist yet$/],
      ['gone in mid-wait', () => rm(path), /^does not exist yet$/],
      ['wrong answer', () => writeFile(path, ''), /^exists, but is not a directory$/],
      [
        'met',
        async () => {
          await rm(path);
          await mkdir(path);
        },
        /exists, a directory$/,
      ],
    ],
  });
};

const socket: MakeCase = (directory, stack) => {
  const path = join(directory, 's');
  const place = stack.use(new Place());
  const listens = async () => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    return { server, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
  };
  return Promise.resolve({
    kind: 'socket',
    wait: `socket:${path}`,
    acts: [
      ['absent', nothing, /^does not exist yet$/],
      // The file that a killed server leaves.
      ['not yet', () => leftSocket(path), /^connection refused by \S+ \(ECONNREFUSED\)$/],
      ['gone in mid-wait', () => rm(path), /^does not exist yet$/],
      ['wrong answer', () => writeFile(path, ''), /^exists, but is not a socket$/],
      [
        'met',
        async () => {
          await rm(path);
          await place.put(listens);
        },
        /accepts connections$/,
      ],
    ],
  });
};

/** Number of connections that a server has yet to accept, as the kernel shows it in rx_queue. */
async function acceptQueue(port: number): Promise<number> {
  const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [, , , , queues = ''] = sockets.find(([, local, , state]) => local === place && state === '0A') ?? [];
  return parseInt(queues.split(':')[1] ?? '0', 16);
}

/** A server that is just starting, with a backlog of one. */
async function listening(port: number): Promise<Running> {
  const server = await start(process.execPath, [SMALL_BACKLOG, String(port)], { keepOutput: true });
  await once(server.child.stdout!, 'data');
  return server;
}

/** Moved into place after its server has exited; before that, a client would be accepted. */
async function leftSocket(path: string): Promise<void> {
  const elsewhere = `${path}.left`;
  const program = `require('net').createServer().listen(${JSON.stringify(elsewhere)}, () => process.stdout.write('up'))`;
  const server: Running = await start(process.execPath, ['-e', program], { keepOutput: true });
  await once(server.child.stdout!, 'data');
  process.kill(server.pid, 'SIGKILL');
  await server.ended;
  await rename(elsewhere, path);
}

export const SERVER_CASES: readonly MakeCase[] = [tcp, http, mysql, amqp, memcached, file, socket];
