import type { Log } from '../../core/log.ts';
import { becomeProgram, callersOpenFiles, findProgram, isRefusal } from '../../process/exec/index.ts';
import type { Privilege } from './privilege.ts';
import { START_SCRIPT } from './script.ts';

/** Kolla's start.sh names it so; its extend scripts are written in it, and may look at their `$0`. */
const BASH = '/bin/bash';
const KOLLA_START = '/usr/local/bin/kolla_start';

/**
 * Goes on as the image's bash, which sources kolla_extend_start and becomes the service. Returns a shell's exit code, with
 * one line in the log, when there is no bash to become; else it does not return.
 * @param words kolla_start's own
 */
export async function becomeService(
  { by, runCommand }: Privilege,
  words: readonly string[],
  { inherited, signal, log }: { inherited: NodeJS.ProcessEnv; signal: AbortSignal; log: Log },
): Promise<number> {
  const bash = findProgram(BASH, '');
  if (isRefusal(bash)) {
    log.error(`cannot start the service: ${bash.reason}`);
    return bash.code;
  }
  const limit = callersOpenFiles()?.toString() ?? '';
  return await becomeProgram(
    bash,
    ['bash', '-c', START_SCRIPT, KOLLA_START, runCommand, by, limit, ...words],
    inherited,
    signal,
  );
}
