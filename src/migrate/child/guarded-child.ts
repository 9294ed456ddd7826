/**
 * A child that must not outlive the lock it runs under, even if we are killed by SIGKILL:
 *
 *   guard (sh, its own session) <- the child's process group, then `over` at the end; without it: SIGKILL
 *   gate  (sh, executes the command) <- starts the command only after the guard has replied that it watches
 *   pulse (each confirmation of the lock) -> the guard, which kills the group if none comes in time: a frozen helper
 *         could not, while its command keeps running
 *
 * Both inherit the socket of the session that holds the lock. So the server keeps the lock until we, the guard and the
 * command are all gone, and no successor can start before. A process that leaves the group (a daemon) and closes the
 * descriptor escapes; no OpenStack migration does that.
 *
 * process/run.ts is not used: it starts a program at once and waits for its output before it kills the rest of its
 * group. Here the command starts only on request, and after its exit nothing in the group may keep writing while a
 * client reads.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError, messageOf } from '../../core/errors.ts';
import { signalGroup } from '../../process/run.ts';
import type { Redact } from '../../core/redact.ts';
import { eachLine } from '../../process/lines.ts';
import { EXPIRED, GATE, GUARD } from './guard-script.ts';
import type { Pulse } from './pulse.ts';

export interface GuardedChild {
  readonly pid: number;
  /**
   * The exit code, or 128 plus the signal's number. Resolves when the whole group has exited and its output was read.
   */
  readonly ended: Promise<number>;
  /**
   * Valid after the child's end: whether it was not started, or the guard has killed it, because the lock was not
   * confirmed in time.
   */
  readonly hasExpired: () => boolean;
  /** Sends SIGTERM to the group, and SIGKILL after `killAfterMs` (default: `STOP_MS`). Resolves when it has ended. */
  stop(killAfterMs?: number): Promise<number>;
}

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The socket of the session that holds the lock. */
  readonly descriptor: number;
  readonly onLine: (line: string) => void;
  /** Redacts the child's lines before they are truncated or passed on. */
  readonly redact?: Redact;
  /** The child's working directory; the default is ours. */
  readonly directory?: string | undefined;
  /** The pulse of the lock under which the child runs. Without it, the guard only checks that we are alive. */
  readonly pulse?: Pulse | undefined;
}

/** Time from SIGTERM to SIGKILL. */
export const STOP_MS = 5000;
/** A process that has left the group may keep the output open. */
const DRAIN_MS = 1000;

const SHELL = '/bin/sh';
/**
 * Starts a command under a guard. Throws UnavailableError if there is no shell for the guard; then nothing was started.
 */
export async function startGuarded(argv: readonly string[], options: ChildOptions): Promise<GuardedChild> {
  const { env, descriptor, onLine, redact, directory, pulse } = options;
  const guard = await spawned(['-c', GUARD, 'kolla-db-sync-guard'], {
    stdio: ['pipe', 'pipe', 'ignore', descriptor],
    detached: true,
    env: {},
  });
  const child = await spawned(['-c', GATE, 'sh', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', descriptor],
    detached: true,
    env,
    cwd: directory,
  }).catch((error: unknown) => {
    // A guard that still waits for a command would keep this process running.
    guard.stdin?.end();
    throw error;
  });
  const pid = child.pid!;
  const [guardIn, guardOut, gate] = [guard.stdio[0], guard.stdio[1], child.stdio[3]] as [Writable, Readable, Writable];
  // The exit of a guard or gate is detected separately, and a failed write to it must not crash this process.
  for (const stream of [guardIn, gate]) stream.on('error', () => {});
  const output = Promise.all(
    [child.stdout, child.stderr].map((stream) => eachLine(stream as Readable, onLine, redact)),
  );
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let said = '';
  guardOut.setEncoding('utf8').on('data', (text: string) => (said += text));
  const guardEnded = once(guardOut, 'close');
  const ping = () => void guardIn.write(`${Math.max(1, Math.floor((pulse?.leftMs() ?? 0) / 1000))}\n`);
  const beating = pulse?.onBeat(ping);
  const ended = (async () => {
    const [code, signal] = await exited;
    beating?.[Symbol.dispose]();
    signalGroup(pid, 'SIGKILL');
    guardIn.end('over\n');
    await Promise.race([Promise.all([output, guardEnded]), sleep(DRAIN_MS, undefined, { ref: false })]);
    return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  })();
  guardIn.write(`${pid}\n`);
  await Promise.race([once(guardOut, 'data'), once(guard, 'exit')]);
  if (said === '') {
    gate.end();
    throw new UnavailableError(`the shell that guards the command ended at once; is ${SHELL} a POSIX shell?`);
  }
  if (pulse !== undefined) ping();
  // This process may have been frozen since the caller's check, and another migrator may have taken the lock.
  const isLate = pulse !== undefined && pulse.leftMs() <= 0;
  gate.end(isLate ? '' : 'go\n');
  // The guard's line alone is not enough, because a confirmation may have come between the line and the kill.
  const hasExpired = () => isLate || (said.includes(EXPIRED) && child.signalCode === 'SIGKILL');
  return { pid, ended, hasExpired, stop: (killAfterMs = STOP_MS) => stop(pid, ended, killAfterMs) };
}

/** The exit code of a child. It is stopped when the signal is aborted. */
export async function endOrStop(child: GuardedChild, signal: AbortSignal): Promise<number> {
  const onAbort = () => void child.stop();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await child.ended;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function stop(pid: number, ended: Promise<number>, killAfterMs: number): Promise<number> {
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

async function spawned(args: readonly string[], options: SpawnOptions): Promise<ChildProcess> {
  try {
    // Throws some errors, such as ENOMEM and E2BIG, and reports others by an event.
    const child = spawn(SHELL, args, options);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    throw new UnavailableError(`cannot start ${SHELL}: ${messageOf(cause)}`, { cause });
  }
}
