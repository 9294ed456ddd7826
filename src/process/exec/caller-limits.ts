import { findProgram, isRefusal, type Program } from './find-program.ts';
import { callersOpenFiles } from './open-files.ts';

/** Not sh, which drops variables whose names are none of a shell's. */
const BASH = '/bin/bash';
const SCRIPT = 'ulimit -Sn "$1"; name=$2; shift 2; exec -a "$name" "$@"';

/**
 * What to become, so that a program starts with the soft limit of open files that our caller had. Only a shell can lower
 * it: where it differs and there is a bash, bash comes first and becomes the program in turn.
 * @param words the program's own, its name first
 */
export function withCallersLimits(
  program: Program,
  words: readonly [string, ...string[]],
  limit: number | undefined = callersOpenFiles(),
): [program: Program, words: [string, ...string[]]] {
  const bash = limit === undefined ? undefined : findProgram(BASH, '');
  if (bash === undefined || isRefusal(bash)) return [program, [...words]];
  const [name, ...rest] = words;
  return [bash, ['bash', '-c', SCRIPT, 'bash', `${limit}`, name, program.file, ...program.words, ...rest]];
}
