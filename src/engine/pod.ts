import { dirname, join } from 'node:path';
import { UnavailableError } from '../core/errors.ts';
import { findProgram, isRefusal, type Program, type Refusal } from '../process/exec/find-program.ts';
import { readlinkSync } from './fs.ts';
import { process } from './process.ts';

/** The kolla-pod next to kolla-core, for TLS, logins and the API server; or why it cannot be run. */
export function podBeside(): Program | Refusal {
  return findProgram(join(dirname(readlinkSync('/proc/self/exe')), 'kolla-pod'), '');
}

/**
 * Executes kolla-pod under the same name.
 * @param what the command that needs kolla-pod, for the error: `'kolla-probe mysql'`
 * @throws UnavailableError without kolla-pod next to kolla-core
 */
export function becomePod(
  name: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  what: string,
): never {
  const found = podBeside();
  if (isRefusal(found)) throw withoutPod(what, found);
  return process.execve(found.file, [...found.words, found.file, name, ...argv], env);
}

/** @param what needs kolla-pod: `'kolla-probe mysql'` */
export function withoutPod(what: string, { reason }: Refusal): UnavailableError {
  return new UnavailableError(`${what} needs kolla-pod: ${reason}; use the image kolla-pod:VERSION instead of -core`);
}
