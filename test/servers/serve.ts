import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { STARTS, type Kind, type Places, type Served } from './kinds.ts';

/** The environment variable that names the socket of the shared servers. */
export const SOCKET = 'KOLLA_POD_TEST_SERVERS';

export interface SharedServers extends AsyncDisposable {
  /** Variables for every test file. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Shares servers between the test files of a run: each is started on first use, and stopped on dispose or, by the
 * kernel, with this process.
 */
export async function serveShared(): Promise<SharedServers> {
  await using stack = new AsyncDisposableStack();
  const socket = join(stack.use(await privateDirectory('servers')).path, 's');
  const hosts = new Map<string | undefined, Host>();
  for (const kind of Object.keys(STARTS) as Kind[]) hosts.set(`/${kind}`, stack.use(host(kind)));
  const server = createServer((request, response) => {
    const place = hosts.get(request.url)?.place() ?? Promise.reject(new Error(`no server ${request.url} is shared`));
    place.then(
      (found) => response.end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(503).end(messageOf(error)),
    );
  });
  server.listen(socket);
  await once(server, 'listening');
  stack.defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const kept = stack.move();
  return { env: { [SOCKET]: socket }, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

interface Host extends AsyncDisposable {
  /** After the server has died, the first caller gets an error. */
  place(): Promise<Places[Kind]>;
}

function host(kind: Kind): Host {
  let current: Promise<Served<Kind>> | undefined;
  const begin = (): Promise<Served<Kind>> => {
    const starting = STARTS[kind]();
    // Callers that wait get the error; later ones try again.
    starting.catch(() => {
      if (current === starting) current = undefined;
    });
    current = starting;
    return starting;
  };
  return {
    async place() {
      const asked = current ?? begin();
      const served = await asked;
      const gone = served.pids.filter((pid) => !isRunning(pid));
      if (gone.length === 0) return served.place;
      if (current === asked) {
        void begin();
        await served[Symbol.asyncDispose]();
      }
      throw new Error(
        `the shared ${kind} has died since it was last asked for (process ${gone.join(', ')}): what failed before may be its end's doing. Another one is started for who asks next`,
      );
    },
    async [Symbol.asyncDispose]() {
      const served = await current?.catch(() => undefined);
      await served?.[Symbol.asyncDispose]();
    },
  };
}

/** For children of this process, which Node reaps immediately. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
