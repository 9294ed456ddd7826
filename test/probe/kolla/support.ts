import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDoorFile } from '../../../src/probe/kolla/door-file.ts';
import { openDoor, type DoorOptions } from '../../../src/probe/kolla/door.ts';
import { shimFor } from '../../../src/probe/kolla/shim.ts';
import { KOLLA_NAMES } from '../../../src/probe/kolla/variables.ts';
import { privateFolder } from '../../../tools/folder.ts';
import { HELPERS } from '../../support/helper.ts';
import { run, type Finished } from '../../../tools/process.ts';
import { listenHttp } from '../../support/server.ts';

/** Stands where the binary would: says so, and what it was given. */
const TELLS = `#!/bin/bash
printf 'binary as %s:' "$CALLED"; printf ' <%s>' "$@"; exit 3
`;

/** A folder with the shims, and a binary beside them, which answers itself or only tells that it was asked. */
export async function shims(binary: 'ours' | 'tells'): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await privateFolder('shims');
  await mkdir(join(folder.path, 'bin'));
  const file = join(folder.path, 'kolla-pod');
  // A script does not see what its caller has called it; the loader of a program does.
  const ours = `#!/bin/bash\nexec '${process.execPath}' '${HELPERS}' "$CALLED" "$@"\n`;
  await writeFile(file, binary === 'ours' ? ours : TELLS);
  await chmod(file, 0o755);
  for (const name of KOLLA_NAMES) {
    const text = shimFor(name, file).replace('exec -a ', `export CALLED=${name}; exec -a `);
    await writeFile(join(folder.path, 'bin', name), text, { mode: 0o755 });
  }
  return folder;
}

export interface ServedDoor extends AsyncDisposable {
  readonly port: number;
  readonly token: string;
  readonly proof: string;
  readonly file: string;
}

/** A door as the resident server has it, and its file in the folder. */
export async function servedDoor(folder: string, options: Partial<DoorOptions> = {}): Promise<ServedDoor> {
  const stack = new AsyncDisposableStack();
  const door = openDoor({ signal: new AbortController().signal, ...options });
  const server = stack.use(await listenHttp((request, response) => void door.answer(request, response)));
  const file = join(folder, 'probe');
  stack.use(await writeDoorFile({ port: server.port, token: door.token, proof: door.proof }, file));
  const { token, proof } = door;
  return { port: server.port, token, proof, file, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Runs a shim with nothing in its environment but what is given. */
export function runShim(
  folder: string,
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Finished> {
  return run(join(folder, 'bin', name), args, { env: { PATH: process.env['PATH'], ...env } });
}
