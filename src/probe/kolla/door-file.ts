import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders } from '../../fs/folder.ts';
import { replaceFile } from '../../fs/replace-file.ts';

/**
 * Where the resident server says how its pod's containers reach it: in an emptyDir that they share, three lines, port, token
 * and proof. Pods of the host's network share loopback: without the token of its own pod's server a shim gets no answer, and
 * an answer without the proof, which no shim ever sends, is somebody's who took the port of a server that was killed.
 */
export const DOOR_FILE = '/run/kolla/probe';

/** Before the name, in a URL. */
export const DOOR_PATH = '/kolla/';

/**
 * For every user of the containers that the folder is mounted in, whose uids differ: the token lets one ask about health,
 * and nothing else, which anybody in the pod's network could find out anyway.
 */
const MODE = 0o644;

export interface DoorFile {
  readonly port: number;
  /** Of who asks. */
  readonly token: string;
  /** Of who answers. */
  readonly proof: string;
}

/** 128 random bits, in letters that a shell script and a header take as they are. */
export function newToken(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Writes the file whole, making its folder; removes it when disposed of, so that no shim asks a port that is another's by then.
 * @throws the system's error where it can't be written
 */
export async function writeDoorFile(
  { port, token, proof }: DoorFile,
  path: string = DOOR_FILE,
): Promise<AsyncDisposable> {
  await makeFolders(dirname(path));
  await replaceFile(path, { content: Buffer.from(`${port}\n${token}\n${proof}\n`), mode: MODE, uid: -1, gid: -1 });
  return { [Symbol.asyncDispose]: () => removeOwn(path, token) };
}

/**
 * What the file says.
 * @throws RangeError for a file of another form; the system's error where there is none
 */
export async function readDoorFile(path: string = DOOR_FILE): Promise<DoorFile> {
  const match = /^(?<port>\d{1,5})\n(?<token>[0-9a-f]{32})\n(?<proof>[0-9a-f]{32})\n$/.exec(
    await readFile(path, 'utf8'),
  );
  if (match?.groups === undefined) throw new RangeError(`${path} does not hold a port, a token and a proof`);
  const { port, token = '', proof = '' } = match.groups;
  return { port: Number(port), token, proof };
}

/** A successor may have written its own by now. */
async function removeOwn(path: string, token: string): Promise<void> {
  const now = await readDoorFile(path).catch(() => undefined);
  if (now?.token === token) await rm(path, { force: true });
}
