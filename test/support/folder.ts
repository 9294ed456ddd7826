import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Folder extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder of our own, removed at the end. Its path is short: sockets in it must fit into 107 bytes. */
export async function privateFolder(purpose: string): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), `kp-${purpose}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
