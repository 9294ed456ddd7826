/**
 * Runs a program and waits for its exit:
 *
 *   spawn, in its own process group -> its lines, each passed on, the last ones kept
 *   signal aborted -> SIGTERM to the group -> graceMs -> SIGKILL to the group
 *   its exit -> drainMs for output held open by others -> code, signal and last lines
 *
 * The caller interprets the exit code. A deadline is a signal too: AbortSignal.any.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Redact } from '../core/redact.ts';
import { eachLine } from './lines.ts';

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Terminates the program and its group. If it is already aborted, nothing is started. */
  readonly signal: AbortSignal;
  /** Time from SIGTERM to SIGKILL; 0 sends SIGKILL immediately. */
  readonly graceMs: number;
  /** `inherit` shares our stdout and stderr, so that no line is seen here. */
  readonly output?: 'inherit';
  /**
   * How long to wait for the end of the output after the program's exit, because a daemon it started may keep it open.
   */
  readonly drainMs?: number;
  /**
   * Kills the rest of the group after the program's exit. By default that happens only if the signal has terminated it.
   */
  readonly killsLeftovers?: boolean;
  /** Our open file that becomes the program's stdout, whose lines are not seen here. */
  readonly stdout?: number;
  /** Our open files that become the program's descriptors 3, 4, ... */
  readonly descriptors?: readonly number[];
  /** Redacts the program's lines before they are passed on. */
  readonly redact?: Redact;
  readonly onLine?: (line: string) => void;
}

export interface Ended {
  /** The exit code, or 128 plus the signal's number. */
  readonly code: number;
  /** The signal that killed the program; undefined if it exited by itself. */
  readonly by: NodeJS.Signals | undefined;
  /** The end of the program's stdout, without a final newline. */
  readonly out: string;
  /** The end of the program's stderr, without a final newline. */
  readonly err: string;
}

export interface Child {
  /** Undefined if the program could not be started. */
  readonly pid: number | undefined;
  /** Rejects with the system's error if the program could not be started. Also resolves after the signal. */
  readonly ended: Promise<Ended>;
}

const DRAIN_MS = 500;
/** Number of characters that are kept of each stream, enough for a reason. */
const TAIL_CHARACTERS = 4096;
/** Signal names by number minus one, on Linux. */
const SIGNALS: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU ' +
  'XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');

/**
 * Starts a program without a shell.
 * @throws the signal's reason if it is already aborted
 */
export function start(file: string, args: readonly string[], options: RunOptions): Child {
  options.signal.throwIfAborted();
  const stream = options.output ?? 'pipe';
  const child = spawn(file, args, {
    env: options.env,
    detached: true,
    stdio: ['ignore', options.stdout ?? stream, stream, ...(options.descriptors ?? [])],
  });
  return { pid: child.pid, ended: endOf(child, options) };
}

async function endOf(child: ChildProcess, options: RunOptions): Promise<Ended> {
  const { signal, graceMs, drainMs = DRAIN_MS, killsLeftovers = false } = options;
  const [out, err] = [new Tail(child.stdout, options), new Tail(child.stderr, options)];
  const output = Promise.all([out.ended, err.ended]);
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    signalGroup(child.pid, graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  let draining: NodeJS.Timeout | undefined;
  try {
    const { code, by } = await exitOf(child);
    await Promise.race([output, new Promise((resolve) => (draining = setTimeout(resolve, drainMs)))]);
    // Destroying a stream still flushes its unterminated last line.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    await output;
    return { code, by, out: out.text, err: err.text };
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(killing);
    clearTimeout(draining);
    if (killsLeftovers || signal.aborted) signalGroup(child.pid, 'SIGKILL');
  }
}

function exitOf(child: ChildProcess): Promise<Pick<Ended, 'code' | 'by'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) =>
      resolve({ code: code ?? 129 + SIGNALS.indexOf((by ?? 'SIGKILL').slice('SIG'.length)), by: by ?? undefined }),
    );
  });
}

/** The end of a stream, with secrets redacted. */
class Tail {
  text = '';
  /** Never rejects: output that cannot be read counts as ended. */
  readonly ended: Promise<void>;

  constructor(stream: ChildProcess['stdout'], { redact, onLine }: RunOptions) {
    const take = (shown: string) => {
      onLine?.(shown);
      this.text = (this.text === '' ? shown : `${this.text}\n${shown}`).slice(-TAIL_CHARACTERS);
    };
    this.ended = stream === null ? Promise.resolve() : eachLine(stream, take, redact).catch(() => {});
  }
}

/**
 * Sends a signal to a process group. A group that has exited is ignored, and so is one that belongs to another user,
 * as after sudo: the caller awaits its end.
 * @param pid of the group's leader; undefined if no program was started
 */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
