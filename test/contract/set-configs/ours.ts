/** The tool that is compared with Kolla's: our function, or the command in kolla-core. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLines, parseCommandLine, setConfigs } from '../../../src/config/set-configs/index.ts';
import { run } from '../../../tools/process.ts';
import { placeCore } from '../../cluster/core-binary.ts';
import { builtCore } from '../../cluster/on-core.ts';
import { HELPERS, isOnCore } from '../../support/helper.ts';
import { driven, type Ended, type Reference, type Start } from './reference.ts';

const NAME = 'kolla_set_configs';
const DRIVER = fileURLToPath(new URL('fixtures/driver.ts', import.meta.url));
const built = isOnCore ? await builtCore() : { binary: '', names: '', directory: '' };

/** Our function. Other tests run the command. */
export async function byNode({ root, argv, env }: Start): Promise<Ended> {
  const asked = parseCommandLine(argv);
  if ('exitCode' in asked) return { code: asked.exitCode, stderr: asked.stderr ?? asked.stdout ?? '' };
  let stderr = '';
  const maker = { uid: 0, gid: 0, umask: 0o022 };
  const strategy = env['KOLLA_CONFIG_STRATEGY'];
  const code = await setConfigs(
    { root, check: asked.check, strategy, maker },
    createLines((text) => (stderr += text)),
  );
  return { code, stderr };
}

/**
 * The command of kolla-core, with a temporary root as `/`.
 * @param emulator as for placeCore
 * @param within as for startReference
 */
export function byCore(
  binary: string,
  name = NAME,
  emulator?: string,
  within: readonly string[] = [],
): (at: Start) => Promise<Ended> {
  return async ({ root, argv, env }) => {
    const placed = await placeCore(binary, root, name, emulator);
    const [program = '', ...words] = [...within, ...placed.call];
    try {
      const { code, stdout, stderr } = await run(program, [...words, ...argv], {
        env: { PATH: process.env['PATH'], ...env },
      });
      return { code, stderr: stderr === '' ? stdout : stderr };
    } finally {
      placed.remove();
    }
  };
}

export const byUs: (at: Start) => Promise<Ended> = isOnCore ? byCore(built.binary) : byNode;

/** Ours in a command that runs another, such as `setpriv`. */
export async function oursWithin(within: readonly string[]): Promise<Reference> {
  if (isOnCore) return coreWithin(built.binary, within);
  const [command, ...words] = [...within, process.execPath, DRIVER];
  return driven(spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] }));
}

export function coreWithin(binary: string, within: readonly string[]): Reference {
  return { run: byCore(binary, NAME, undefined, within), [Symbol.asyncDispose]: async () => {} };
}

/** What a temporary root needs: `/usr/local/bin/kolla_set_configs`, and the directories that the command requires. */
export const COMMAND = {
  text: `#!/bin/sh\nexec ${isOnCore ? `'${join(built.names, NAME)}'` : `'${process.execPath}' '${HELPERS}' ${NAME}`} "$@"\n`,
  mode: 0o755,
} as const;
export const directories: readonly string[] = isOnCore ? [built.directory] : [];
