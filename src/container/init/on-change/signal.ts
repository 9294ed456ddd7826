import { codeOf, NotPermittedError, UnavailableError } from '../../../core/errors.ts';
import { inMask, isNamed, isOurs, lineOf, listProcesses, type ProcessInfo } from '../../../process/procfs/processes.ts';
import type { SignalAction } from './actions.ts';

/**
 * Sends the signal, and resolves with its target: `keystone (pid 7)`. For a service with workers, only the parent
 * process gets the signal. Throws UnavailableError if there is no target, or it ignores the signal, NotPermittedError
 * if the system denies it.
 * @param isInPod whether this is a Pod's container, where PID 1 is ourselves or, in a shared namespace, the pause
 * process
 */
export function sendSignal({ signal, process: name }: SignalAction, isInPod: boolean): string {
  const all = listProcesses().filter((one) => !isPause(one, isInPod));
  const targets = name === undefined ? [theOtherOne(all, process.pid)] : named(all, name, process.pid);
  for (const target of targets) {
    checkHandles(target, signal);
    send(target, signal);
  }
  return targets.map(describe).join(', ');
}

function send(target: ProcessInfo, signal: NodeJS.Signals): void {
  try {
    process.kill(target.pid, signal);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ESRCH') throw new UnavailableError(`${describe(target)} has just ended`, { cause });
    if (code !== 'EPERM') throw cause;
    throw new NotPermittedError(
      `may not send ${signal} to ${describe(target)}, which runs as ${target.uid}; run this as the same user ` +
        `(runAsUser: ${target.uid})`,
      { cause },
    );
  }
}

/** The kernel silently drops signals that PID 1 does not handle. */
function checkHandles(target: ProcessInfo, signal: NodeJS.Signals): void {
  const isUnheard = inMask(target.ignored, signal) || (target.pid === 1 && !inMask(target.caught, signal));
  if (isUnheard && signal !== 'SIGKILL' && signal !== 'SIGSTOP')
    throw new UnavailableError(`${describe(target)} does not handle ${signal}; choose another action, such as exit`);
}

function named(all: readonly ProcessInfo[], name: string, self: number): ProcessInfo[] {
  const own = lineOf(all, self);
  const found = all.filter((one) => !own.has(one.pid) && isNamed(one, name));
  const first = found.filter(({ parent }) => !found.some(({ pid }) => pid === parent));
  if (first.length > 0) return first;
  throw new UnavailableError(`no process is named '${name}'; ${whatIsSeen(all, own)}`);
}

/**
 * PID 1 if it is the service (docker's `--pid=container:NAME`), otherwise the only process tree that is not our
 * sidecar.
 */
function theOtherOne(all: readonly ProcessInfo[], self: number): ProcessInfo {
  const first = all.find(({ pid }) => pid === 1);
  if (first !== undefined && self !== 1) return first;
  const own = lineOf(all, self);
  const others = all.filter((one) => !own.has(one.pid) && !isOurs(one));
  const highest = others.filter(({ parent }) => !others.some(({ pid }) => pid === parent));
  // A container's main process has its parent outside; a process adopted by PID 1 is a daemon.
  const started = highest.filter(({ parent }) => parent === 0);
  const roots = started.length > 0 ? started : highest;
  const [only] = roots;
  if (only !== undefined && roots.length === 1) return only;
  const why =
    roots.length === 0
      ? 'there is no other process'
      : 'there is more than one service: name one, as in signal:HUP:NAME';
  throw new UnavailableError(`${why}; ${whatIsSeen(all, own)}`);
}

function whatIsSeen(all: readonly ProcessInfo[], own: ReadonlySet<number>): string {
  const others = all.filter((one) => !own.has(one.pid));
  if (others.length === 0)
    return 'this container sees only its own; shareProcessNamespace: true lets the containers of a Pod see each other';
  const names = [...new Set(others.map(({ name }) => name))].toSorted();
  return `there is ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', ...' : ''}`;
}

/** The process that holds a shared namespace and runs no service. Its name depends on the container runtime. */
function isPause({ pid, name, words }: ProcessInfo, isInPod: boolean): boolean {
  if (pid !== 1 || pid === process.pid) return false;
  return isInPod || name === 'pause' || (name === 'catatonit' && words.includes('-P'));
}

function describe({ pid, name }: ProcessInfo): string {
  return `${name} (pid ${pid})`;
}
