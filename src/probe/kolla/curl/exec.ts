import { becomeProgram, findProgram, isRefusal } from '../../../process/exec/index.ts';
import { NoProgramError } from '../question.ts';
import { speaksTls } from './tls.ts';
import type { CurlVariables } from './words.ts';

/** Debian's and Rocky's, for an image whose environment has none. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Goes on as the image's curl, with all that Kolla's script gives it before the caller's own arguments, and 1 for each number
 * of curl's, as there.
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
      `${curl.reason}; these arguments need the image's curl: without it give one http://${speaksTls ? ' or https://' : ''} URL, and -u USER:PASSWORD at most`,
      curl.code,
    );
  const shell = findProgram('/bin/sh', '');
  if (isRefusal(shell)) throw new NoProgramError(shell.reason, shell.code);
  const given = ['-o', output, '--max-time', maxTime, '--user-agent', userAgent, '--write-out', writeOut, ...argv];
  const words = [curl.file, ...curl.words, '-q', '-g', '-k', '-s', '-S', '--fail', ...given];
  // The shell gives curl's numbers the code that Kolla's script gives them.
  return await becomeProgram(
    shell,
    ['sh', '-c', '"$@" || exit 1', 'healthcheck_curl', ...words],
    { ...env, NSS_SDB_USE_CACHE: 'no' },
    signal,
  );
}
