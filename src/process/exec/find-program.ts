import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, reasonOf } from '../../core/errors.ts';
import { loaderOf, refusalOf, type Refusal } from './executable.ts';

export type { Refusal } from './executable.ts';

/** Arguments of execve: `file`, and arguments that precede the program's own. */
export interface Program {
  readonly file: string;
  readonly words: readonly string[];
}

/** The interpreter of an executable file without a format, which a shell runs as a script. */
const SHELL = '/bin/sh';

/**
 * The file that a shell would run for a name, which is looked up in `path` unless it has a slash. If there is none, the
 * reason with a shell's exit code: 127 not found, 126 not executable. Checks before execve, because a failing execve
 * aborts Node with 134 and a stack trace.
 */
export function findProgram(name: string, path: string): Program | Refusal {
  if (name === '') return { code: 127, reason: "'': command not found" };
  if (name.includes('/')) return examine(name);
  let found: Refusal | undefined;
  for (const directory of path.split(':')) {
    const file = join(directory === '' ? '.' : directory, name);
    const it = kindOf(file);
    if (it === 'program') return examine(file.includes('/') ? file : `./${file}`);
    // A shell keeps looking, and remembers the first file that is not executable.
    if (it === 'refused') found ??= { code: 126, reason: `${file}: Permission denied` };
  }
  return found ?? { code: 127, reason: `${name}: command not found` };
}

/** Whether findProgram has found no program. */
export function isRefusal(found: Program | Refusal): found is Refusal {
  return 'reason' in found;
}

function kindOf(file: string): 'program' | 'refused' | 'absent' {
  try {
    if (!statSync(file).isFile()) return 'absent';
  } catch {
    return 'absent';
  }
  return mayRun(file) ? 'program' : 'refused';
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function examine(file: string): Program | Refusal {
  try {
    if (statSync(file).isDirectory()) return { code: 126, reason: `${file}: Is a directory` };
    accessSync(file, constants.X_OK);
    const loader = loaderOf(file);
    if (loader === 'none') return { file: SHELL, words: [file] };
    return refusalOf(file, loader) ?? { file, words: [] };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return { code: 127, reason: `${file}: No such file or directory` };
    if (code === 'EACCES') return { code: 126, reason: `${file}: Permission denied` };
    return { code: 126, reason: `${file}: ${reasonOf(error)}` };
  }
}
