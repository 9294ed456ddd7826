import { randomBytes } from 'node:crypto';
import { rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { isThere } from '../../fs/access.ts';
import { replaceFile } from '../../fs/replace-file.ts';
import { cannotKeep, readOwn, type StateDirectory } from './held-directory.ts';

/** Writes a file of the state directory as a whole: after a crash it is the old one or the new one. Rejects with the system's error. */
export async function replaceOwn(file: string, text: string): Promise<void> {
  await replaceFile(file, { content: Buffer.from(text), mode: 0o600, uid: -1, gid: -1 });
}

/** Reads, or makes once, the id of this source of logs. ConfigError where it can't write. */
export async function openState(directory: StateDirectory, given: string | undefined): Promise<{ source: string }> {
  const file = directory.at('source-id');
  try {
    const source = given ?? (await readOwn(file).catch(ignoreAbsent))?.trim() ?? '';
    if (source !== '') return { source };
    const made = randomBytes(9).toString('base64url');
    await replaceOwn(file, `${made}\n`);
    return { source: made };
  } catch (cause) {
    throw cannotKeep(directory.path, directory.inWords(messageOf(cause)), cause);
  }
}

/** The first destination's: what `kolla-probe log-ship` looks at. */
const FIRST = 'checkpoint.json';
/** Says whose that is. */
const OWNER = 'checkpoint.of';
const STDOUT = 'stdout';

/**
 * The checkpoint's name of each destination. Who changes the order of `--to` must not have one resume where another was: the
 * files change names as well. Where a server takes the place of another, which may be another name of the same, it goes on
 * there; stdout, for a person, replaces no destination.
 * @param names of the destinations
 */
export async function checkpointNames(directory: StateDirectory, names: readonly string[]): Promise<readonly string[]> {
  const [first = ''] = names;
  const owner = await readOwn(directory.at(OWNER)).then((text) => text.trim(), ignoreAbsent);
  const hasOwn = await isThere(directory.at(nameFor(first)));
  const isReplaced = owner !== undefined && owner !== first;
  // What was printed is in no server, and what a server has was not printed.
  const areServers = ![owner, first].includes(STDOUT);
  if (isReplaced && (names.includes(owner) || hasOwn || !areServers))
    await rename(directory.at(FIRST), directory.at(nameFor(owner))).catch(ignoreAbsent);
  // Before the rename: after a start that died in between, what lies there must not be taken for the former owner's.
  if (owner !== first) await replaceOwn(directory.at(OWNER), `${first}\n`);
  if (hasOwn && !(await isThere(directory.at(FIRST)))) await rename(directory.at(nameFor(first)), directory.at(FIRST));
  return names.map((name, at) => (at === 0 ? FIRST : nameFor(name)));
}

function nameFor(destination: string): string {
  return `checkpoint-${destination}.json`;
}

const NAME = 'running.sock';
/** Of each, another process was quicker, or died. */
const TRIES = 5;

/**
 * Holds a state directory for one process: a second would write over the first one's checkpoint, and, on first start,
 * ship under a source's id of its own, so that every line is in twice. It is a socket, which the kernel lets no process answer
 * at once its process is dead, however that died. Only who does answer is refused: where there can't be a socket (a volume
 * that is full, or knows none) that is said, and shipping goes on. A pod on another node, on a shared volume, is not seen.
 * @throws ConfigError when another process holds it
 */
export async function holdState(directory: StateDirectory, log: Log): Promise<AsyncDisposable> {
  await using made = new AsyncDisposableStack();
  try {
    // By way of its descriptor: a socket's path may have no more than 107 bytes.
    const server = await bind(directory.at(NAME), directory.path);
    made.defer(async () => await closed(server));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Of a directory that can't be had, and a disk that is full, others tell.
    if (code !== 'ENOENT' && code !== 'ENOSPC' && code !== 'EROFS')
      log.debug(`another process is not kept from using ${directory.path}: ${directory.inWords(messageOf(error))}`);
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
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === TRIES) throw error;
    }
    if (await isAnswered(path))
      throw new ConfigError(
        `another kolla-log-ship uses ${directory}, and two would lose each other's place: end it, or give --state another directory`,
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
