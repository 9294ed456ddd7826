import { rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { codeOf, ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { isThere } from '../../fs/access.ts';
import { replaceFile } from '../../fs/replace-file.ts';
import { cannotKeep, readOwn, type StateDirectory } from './held-directory.ts';

/**
 * Replaces a file of the state directory atomically: after a crash it is the old or the new one. Rejects with the
 * system's error.
 */
export async function replaceOwn(file: string, text: string): Promise<void> {
  await replaceFile(file, { content: Buffer.from(text), mode: 0o600, uid: -1, gid: -1 });
}

/**
 * Reads the ID of this log source, or generates it on first start. Throws ConfigError if the directory is not writable.
 */
export async function openState(directory: StateDirectory, given: string | undefined): Promise<{ source: string }> {
  const file = directory.at('source-id');
  try {
    const source = given ?? (await readOwn(file).catch(ignoreAbsent))?.trim() ?? '';
    if (source !== '') return { source };
    const made = Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString('base64url');
    await replaceOwn(file, `${made}\n`);
    return { source: made };
  } catch (cause) {
    throw cannotKeep(directory.path, directory.inWords(messageOf(cause)), cause);
  }
}

/** The checkpoint of the first destination, which `kolla-probe log-ship` reads. */
const FIRST = 'checkpoint.json';
/** The file that names the destination of that checkpoint. */
const OWNER = 'checkpoint.of';
const STDOUT = 'stdout';

/**
 * The checkpoint name of each destination. When the order of `--to` changes, no destination may resume with another's
 * checkpoint: the files are renamed accordingly. If a server replaces another, it resumes with that one's checkpoint,
 * since both may be names of the same server; stdout, meant for a person, replaces none.
 * @param names of the destinations
 */
export async function checkpointNames(directory: StateDirectory, names: readonly string[]): Promise<readonly string[]> {
  const [first = ''] = names;
  // An empty file is what a crash may leave.
  const owner = (await readOwn(directory.at(OWNER)).then((text) => text.trim(), ignoreAbsent)) || undefined;
  const hasOwn = isThere(directory.at(nameFor(first)));
  const isReplaced = owner !== undefined && owner !== first;
  // A server and stdout do not resume with each other's checkpoint: printed lines are on no server, and a server's
  // lines were not printed.
  const areServers = ![owner, first].includes(STDOUT);
  if (isReplaced && (names.includes(owner) || hasOwn || !areServers))
    await rename(directory.at(FIRST), directory.at(nameFor(owner))).catch(ignoreAbsent);
  // Written before the rename: after a crash in between, the file must not be attributed to its former owner.
  if (owner !== first) await replaceOwn(directory.at(OWNER), `${first}\n`);
  if (hasOwn && !isThere(directory.at(FIRST))) await rename(directory.at(nameFor(first)), directory.at(FIRST));
  return names.map((name, at) => (at === 0 ? FIRST : nameFor(name)));
}

function nameFor(destination: string): string {
  return `checkpoint-${destination}.json`;
}

const NAME = 'running.sock';
/** Maximum number of attempts. In each, another process was faster or exited. */
const TRIES = 5;

/**
 * Locks a state directory for one process: a second would overwrite the first one's checkpoint and, on first start,
 * ship under a source id of its own, so that every line is indexed twice. The lock is a listening socket, which stops
 * accepting as soon as its process dies, however it died. The start is refused only if the socket accepts: if it cannot
 * be created (a full volume, or one without sockets), that is logged and shipping continues. A Pod on another node that
 * shares the volume is not detected.
 * @throws ConfigError if another process holds it
 */
export async function holdState(directory: StateDirectory, log: Log): Promise<AsyncDisposable> {
  await using made = new AsyncDisposableStack();
  try {
    // Opened through the descriptor, because a socket's path is limited to 107 bytes.
    const server = await bind(directory.at(NAME), directory.path);
    made.defer(async () => await closed(server));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = codeOf(error);
    // An inaccessible directory and a full disk are reported elsewhere.
    if (code !== 'ENOENT' && code !== 'ENOSPC' && code !== 'EROFS')
      log.debug(`cannot lock ${directory.path} against other processes: ${directory.inWords(messageOf(error))}`);
  }
  return made.move();
}

/** Rejects with the system's error, or ConfigError. */
async function bind(path: string, directory: string): Promise<Server> {
  for (let tries = 1; ; tries++) {
    const before = await stat(path).catch(() => undefined);
    try {
      return await listening(path);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || tries === TRIES) throw error;
    }
    if (await isAnswered(path))
      throw new ConfigError(
        `another kolla-log-ship uses ${directory}, and two would overwrite each other's checkpoint: stop ` +
          'it, or set --state to another directory',
      );
    // The socket was left by a process that has exited, and does not belong to one that was just faster.
    const now = await stat(path).catch(() => undefined);
    if (now?.isSocket() === true && now.ino === before?.ino) await unlink(path);
  }
}

function listening(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({}, (socket) => socket.destroy());
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Whether a process listens on the socket. Rejects with the system's error if this cannot be determined. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
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

/** Closing also removes the socket. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
