import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '../src/core/version.ts';
import { onTarget, type Target } from './base.ts';
import { callOf, type Built } from './make.ts';

const exec = promisify(execFile);

/**
 * Runs every command of a fresh binary. A failed injection leaves a plain node, which would run its first argument as a
 * script, so the output is checked, not only the exit code.
 */
export async function checkBinary({ directory, binary, helpers, base: { target } }: Built): Promise<void> {
  for (const { name } of helpers) {
    const call = callOf(directory, name);
    const version = await say(target, call, '--version');
    if (version !== `${name} ${VERSION} (${basename(await realpath(call[0]))})\n`)
      throw new Error(`${call.join(' ')} --version says ${JSON.stringify(version)}`);
    // kolla-core executes kolla-pod for some of these, which a program can't do under an emulator.
    const helpCall = target.emulator.length === 0 ? call : ([binary, name] as const);
    const help = await say(target, helpCall, '--help');
    // Kolla's own names print `usage: NAME`, like Kolla's tools.
    if (!help.startsWith(name) && !help.startsWith(`usage: ${name} `))
      throw new Error(`${helpCall.join(' ')} --help says ${JSON.stringify(help.slice(0, 80))}`);
  }
}

async function say(target: Target, [file, ...words]: readonly [string, ...string[]], flag: string): Promise<string> {
  const { stdout } = await exec(...onTarget(target, file, [...words, flag]), { env: {} });
  return stdout;
}
