/**
 * `sudo` in images without root: first in PATH there, it runs scripts written for sudo unchanged.
 *
 *   arguments -> parse (the options used by scripts in images) -> the target's account -> decide
 *     the current user -> sudo's environment -> execve
 *     root, for a service's rootwrap -> the same, as the current user
 *     another user, and we are root -> its groups, gid and uid -> the same
 *     root, for a step of kolla_start done by kolla-init -> one line, 0
 *     any other -> one line: the command, the requested user, the fix -> 1
 *
 * Part of kolla-core, because Cinder limits the address space of a rootwrap to 1 GiB, in which Node does not start. It
 * never grants privileges: no name of ours runs with a set-id bit (src/cli/dispatch.ts). 1 is sudo's own code for a
 * rejection; 126 and 127 are a shell's, for a command that cannot be run; else the code is the command's.
 */
import { ExitCode, messageOf } from '../../core/errors.ts';
import { ignoreClosedStderr } from '../../cli/output.ts';
import { becomeProgram, findProgram, isRefusal, withCallersLimits } from '../../process/exec/index.ts';
import { startFacts } from '../start/privilege.ts';
import { accountsOf } from './accounts.ts';
import { decide } from './decide.ts';
import { environmentOf, SECURE_PATH } from './environment.ts';
import { parseSudo, SudoUsageError, type Request } from './parse.ts';

/** Handles one call. Returns only if no command was executed. */
export async function runSudo(argv: readonly string[], inherited: NodeJS.ProcessEnv): Promise<ExitCode> {
  ignoreClosedStderr();
  if (argv.length === 1 && ['-h', '--help'].includes(argv[0]!)) {
    process.stdout.write(USAGE);
    return ExitCode.ok;
  }
  try {
    return await answer(parseSudo(argv), inherited);
  } catch (error) {
    if (!(error instanceof SudoUsageError)) throw error;
    return refuse(error.message);
  }
}

const USAGE = `sudo of kolla-pod: runs a command as the current user, or from root as another.

usage: sudo [-EHn] [-u USER] [-g GROUP] [--preserve-env[=NAME,...]] [NAME=value]... [--] COMMAND [WORD]...
`;

async function answer(request: Request, inherited: NodeJS.ProcessEnv): Promise<ExitCode> {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  const accounts = accountsOf();
  const path = inherited['PATH'] ?? SECURE_PATH;
  const decision = decide(
    request,
    { uid, gid },
    {
      accounts,
      prepared: startFacts(path).prepared() === 'ready',
    },
  );
  if (decision.to === 'refuse') return refuse(decision.line);
  if (decision.to === 'skip') {
    process.stderr.write(`sudo: ${decision.line}\n`);
    return ExitCode.ok;
  }
  const { target, become } = decision;
  const caller = { ...(accounts.user(uid) ?? target), gid };
  const environment = environmentOf(request, target, caller, inherited);
  if (become !== undefined) {
    try {
      leaveRoot(target.name, become);
    } catch (error) {
      return refuse(`this root may not become ${target.name}: ${messageOf(error)}`);
    }
  }
  // The program is looked up after the change of user, because execute permission is checked for the target user.
  const program = findProgram(request.words[0], environment['PATH'] ?? SECURE_PATH);
  if (isRefusal(program)) return refuse(program.reason, program.code);
  return await becomeProgram(...withCallersLimits(program, request.words), environment, AbortSignal.any([]));
}

/** Groups are set first, while that is still permitted. */
function leaveRoot(name: string, { uid, gid }: { uid: number; gid: number }): void {
  // initgroups is missing in Node's types.
  (process as unknown as { initgroups(user: string, group: number): void }).initgroups(name, gid);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

function refuse(line: string, code: ExitCode = ExitCode.no): ExitCode {
  process.stderr.write(`sudo: ${line}\n`);
  return code;
}
