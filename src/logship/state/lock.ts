import { open, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { makeFolder } from '../../fs/folder.ts';
import { STATE_MODE } from './source-id.ts';

const NAME = 'running.sock';
/** Of each, somebody else was quicker, or died. */
const TRIES = 5;

/**
 * Holds a state folder for one process: a second would write over the first one's checkpoint, and, at the very first start,
 * ship under a source's id of its own, so that every line is in twice. It is a socket, which the kernel lets nobody answer
 * at once its process is dead, however that died. Only who does answer is refused: where there can't be a socket (a volume
 * that is full, or knows none) that is said, and shipping goes on. A pod on another node, on a shared volume, is not seen.
 * @throws ConfigError when another process holds it
 */
export async function holdState(folder: string, log: Log): Promise<AsyncDisposable> {
  await using made = new AsyncDisposableStack();
  try {
    await makeFolder(folder, STATE_MODE);
    const handle = made.use(await open(folder, 'r'));
    // By way of a descriptor: a socket's path may have no more than 107 bytes.
    const server = await bind(`/proc/self/fd/${handle.fd}/${NAME}`, folder);
    made.defer(async () => await closed(server));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Of a folder that can't be had, and a disk that is full, others tell.
    if (code !== 'ENOENT' && code !== 'ENOSPC' && code !== 'EROFS')
      log.debug(`nobody is kept from ${folder} while we use it: ${messageOf(error)}`);
  }
  return made.move();
}

/** Rejects with the system's error, or ConfigError. */
async function bind(path: string, folder: string): Promise<Server> {
  for (let tries = 1; ; tries++) {
    const before = await stat(path).catch(() => undefined);
    try {
      return await listening(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === TRIES) throw error;
    }
    if (await isAnswered(path))
      throw new ConfigError(
        `another kolla-log-ship uses ${folder}, and two would lose each other's place: end it, or give --state another folder`,
      );
    // Left by one that died; not the one of who was quicker just now.
    const now = await stat(path).catch(() => undefined);
    if (now?.isSocket() === true && now.ino === before?.ino) await unlink(path);
  }
}

function listening(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Rejects with the system's error where that can't be told. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
  });
}

/** That removes the socket, too. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
