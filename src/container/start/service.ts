import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../core/log.ts';
import { becomeProgram, callersOpenFiles, findProgram, isRefusal } from '../../process/exec/index.ts';
import type { Privilege } from './privilege.ts';

/** Named as in Kolla's start.sh: its extend scripts are written for bash and may use `$0`. */
const BASH = '/bin/bash';
const KOLLA_START = '/usr/local/bin/kolla_start';
const EXTEND_START = 'kolla_extend_start';

/**
 * Executes the image's bash, which sources kolla_extend_start and executes the service. Returns a shell's exit code,
 * with one log line, if bash is missing; else it does not return.
 * @param words kolla_start's own arguments
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
  const { PATH: path, KOLLA_SKIP_EXTEND_START: skip } = inherited;
  // bash names only the file, and only images of Kolla have it. Without a PATH, bash has one of its own.
  if (skip === undefined && path !== undefined && !isSourced(EXTEND_START, path))
    log.error(`no ${EXTEND_START} in PATH: for an image that Kolla did not build, set KOLLA_SKIP_EXTEND_START=1`);
  const limit = callersOpenFiles()?.toString() ?? '';
  return await becomeProgram(
    bash,
    ['bash', '-c', START_SCRIPT, KOLLA_START, runCommand, by, limit, ...words],
    inherited,
    signal,
  );
}

/** Whether bash's `.` finds the file: in PATH, executable or not, or in the working directory. */
function isSourced(file: string, path: string): boolean {
  return [...path.split(':'), '.'].some((directory) => existsSync(join(directory, file)));
}

/**
 * The script for bash: Kolla's start.sh from the point where the configuration is installed. A constant, so that no
 * configuration is ever parsed as shell code. Arguments: the command file, who runs privileged steps (`root`, `sudo`,
 * or `nobody`), the soft limit of open files (or empty), then kolla_start's own arguments, which the extend script sees
 * as `$@`.
 *
 * The extend script is sourced, because its changes to the shell are meant for the service: CMD and ARGS, exports,
 * directory, umask, limits, `exit 0`. CMD and ARGS are unquoted as in Kolla: subject to word splitting and globbing,
 * without quotes.
 */
export const START_SCRIPT = `
set -o errexit -o pipefail -o nounset
if [[ -n $3 ]]; then ulimit -Sn "$3"; fi
if [[ $2 == sudo ]]; then sudo -E kolla_set_configs; fi
CMD=$(<"$1")
ARGS=""
if [[ $2 == sudo ]]; then sudo kolla_copy_cacerts; fi
if [[ $2 != nobody && -d /dev-mode && -d /var/lib/kolla/venv ]] && type -P kolla_install_projects > /dev/null; then
    if [[ $2 == sudo ]]; then sudo kolla_install_projects
    else PATH="/var/lib/kolla/venv/bin:$PATH" kolla_install_projects; fi
fi
shift 3
if [[ ! "\${!KOLLA_SKIP_EXTEND_START[@]}" ]]; then
    . kolla_extend_start
fi
echo "Running command: '\${CMD}\${ARGS:+ $ARGS}'"
exec \${CMD} \${ARGS}
`;
