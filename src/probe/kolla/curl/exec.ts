import { becomeProgram, findProgram, isRefusal } from '../../../process/exec/index.ts';
import { NoProgramError } from './question.ts';
import type { CurlVariables } from './words.ts';

/** PATH for an image that sets none: the default of Debian and Rocky. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Executes the image's curl, with the arguments that Kolla's script adds before the caller's, and maps each of curl's
 * exit codes to 1, as the script does.
 * @throws NoProgramError, or the signal's reason
 */
export async function becomeCurl(
  argv: readonly string[],
  { output, maxTime, userAgent, writeOut }: CurlVariables,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<never> {
  const curl = findProgram('curl', env['PATH'] || PATH);
  if (isRefusal(curl))
    throw new NoProgramError(
      `${curl.reason}; these arguments need the image's curl: without it give one http:// or https:// URL, and -u USER:PASSWORD at most`,
      curl.code,
    );
  const shell = findProgram('/bin/sh', '');
  if (isRefusal(shell)) throw new NoProgramError(shell.reason, shell.code);
  const given = ['-o', output, '--max-time', maxTime, '--user-agent', userAgent, '--write-out', writeOut, ...argv];
  const words = [curl.file, ...curl.words, '-q', '-g', '-k', '-s', '-S', '--fail', ...given];
  // The shell maps curl's exit codes as Kolla's script does.
  return await becomeProgram(
    shell,
    ['sh', '-c', '"$@" || exit 1', 'healthcheck_curl', ...words],
    { ...env, NSS_SDB_USE_CACHE: 'no' },
    signal,
  );
}
