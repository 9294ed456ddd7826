import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { command } from '../cli/command.ts';
import { ExitCode, UnavailableError, UsageError, messageOf } from '../core/errors.ts';
import { BINARY, shimFor } from '../probe/kolla/shim.ts';
import { KOLLA_NAMES } from '../probe/kolla/variables.ts';
import { makeFolders } from '../fs/folder.ts';

/** Writes the scripts under which Kolla's healthcheck names stand in an image. */
export const shims = command({
  summary: "Writes Kolla's healthcheck names as scripts that ask the resident server first.",
  description:
    'For an image build: bash scripts that start no process while `kolla-probe serve` runs in the pod, and become the binary where it does not ' +
    '(or can not see what is asked). What stands under these names in the folder is replaced. Without DIR the names are listed.',
  operands: [{ name: 'DIR', help: 'where to: /usr/local/bin in an image', optional: true }],
  options: [
    {
      flag: 'binary',
      type: 'path',
      env: 'KOLLA_POD_BINARY',
      default: BINARY,
      help: 'where the binary lies in the image; a name without a slash is looked for in PATH',
      example: '/opt/kolla-pod/kolla-pod',
    },
  ],
  examples: [
    { line: 'kolla-pod shims /usr/local/bin', does: 'in a Containerfile, after COPY of the binary' },
    { line: 'kolla-pod shims', does: 'which names there are' },
  ],
  async run({ operands: [folder], options: { binary } }, { stdout }) {
    if (/[\n\0]/.test(binary) || binary === '') throw new UsageError('shims: --binary is not a path');
    if (folder === undefined) stdout(KOLLA_NAMES.map((name) => `${name}\n`).join(''));
    else for (const name of KOLLA_NAMES) await write(join(folder, name), shimFor(name, binary));
    return ExitCode.ok;
  },
});

async function write(path: string, text: string): Promise<void> {
  try {
    await makeFolders(dirname(path), 0o755);
    await writeFile(path, text);
    // What stood there may have had another mode.
    await chmod(path, 0o755);
  } catch (cause) {
    throw new UnavailableError(`shims: cannot write ${path}: ${messageOf(cause)}`, { cause });
  }
}
