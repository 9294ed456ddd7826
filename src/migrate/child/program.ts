import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UnavailableError } from '../../core/errors.ts';

/** The file of a command; undefined if there is none. A path is used as it is; a name is looked up in PATH. */
export function programFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const directories = name.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter);
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

/** Rejects a missing command before any wait. */
export function requireProgram(name: string, env: NodeJS.ProcessEnv): void {
  if (programFile(name, env) !== undefined) return;
  const where = name.includes('/') ? 'there' : `in PATH (${env['PATH'] ?? ''})`;
  throw new UnavailableError(
    `no program ${name} ${where}: run this in the service's own image, or give a command after --`,
  );
}

/** Rejects a step whose directory does not exist. */
export function requireDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UnavailableError(
    `no directory ${directory}: run this in the service's own image, or give a command after --`,
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
