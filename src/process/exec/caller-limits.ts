import { findProgram, isRefusal, type Program } from './find-program.ts';
import { callersOpenFiles } from './open-files.ts';

/** The shell that lowers the limit: bash, because sh drops variables with invalid names. */
const BASH = '/bin/bash';
const SCRIPT = 'ulimit -Sn "$1"; name=$2; shift 2; exec -a "$name" "$@"';

/**
 * The program to execute so that it starts with the caller's soft limit of open files. Only a shell can lower it: if it
 * differs and bash exists, bash runs first and executes the program.
 * @param words the program's arguments, its name first
 */
export function withCallersLimits(
  program: Program,
  words: readonly [string, ...string[]],
): [program: Program, words: [string, ...string[]]] {
  const limit = callersOpenFiles();
  const bash = limit === undefined ? undefined : findProgram(BASH, '');
  if (bash === undefined || isRefusal(bash)) return [program, [...words]];
  const [name, ...rest] = words;
  return [bash, ['bash', '-c', SCRIPT, 'bash', `${limit}`, name, program.file, ...program.words, ...rest]];
}
