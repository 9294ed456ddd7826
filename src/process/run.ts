/**
 * The one way in which a helper runs another program and waits for its end:
 *
 *   spawn, in a process group of its own -> its lines, each called back, the last ones kept
 *   signal aborted -> SIGTERM to the group -> graceMs -> SIGKILL to the group
 *   its exit -> drainMs for the output that others still hold open -> code, signal and last lines
 *
 * It decides nothing by the exit code; that is its caller's. A deadline is a signal too: AbortSignal.any.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Redact } from '../core/redact.ts';
import { eachLine } from './lines.ts';

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Ends it and its group. Where it is aborted already, nothing is started. */
  readonly signal: AbortSignal;
  /** From SIGTERM to SIGKILL; 0: SIGKILL at once. */
  readonly graceMs: number;
  /** `inherit`: stdout and stderr are ours, and no line is seen here. */
  readonly output?: 'inherit';
  /** How long it may take until its output ends once it has ended: what it left behind (a daemon) may hold it open. */
  readonly drainMs?: number;
  /** Kills what is left of the group at its end. Without it that is done only where the signal has ended it. */
  readonly killsLeftovers?: boolean;
  /** Open files of ours that it finds as its descriptors 3, 4, ... */
  readonly descriptors?: readonly number[];
  /** Its lines go through it before anybody sees them. */
  readonly redact?: Redact;
  readonly onLine?: (line: string) => void;
}

export interface Ended {
  /** The exit code, or 128 and the signal's number. */
  readonly code: number;
  /** The signal that ended it, if one did. */
  readonly by: NodeJS.Signals | undefined;
  /** The end of stdout, without a last line end. */
  readonly out: string;
  /** The end of stderr, in the same way. */
  readonly err: string;
}

export interface Child {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  /** Rejects with the system's error where it could not be started; resolves also where the signal has ended it. */
  readonly ended: Promise<Ended>;
}

const DRAIN_MS = 500;
/** So much is kept of each stream: enough for a reason. */
const TAIL_CHARACTERS = 4096;
/** By their number less one, on Linux. */
const SIGNALS: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU ' +
  'XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');

/**
 * Starts a program without a shell.
 * @throws the signal's reason where it is aborted already
 */
export function start(file: string, args: readonly string[], options: RunOptions): Child {
  options.signal.throwIfAborted();
  const stream = options.output ?? 'pipe';
  const child = spawn(file, args, {
    env: options.env,
    detached: true,
    stdio: ['ignore', stream, stream, ...(options.descriptors ?? [])],
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
    // Closed by us, a stream still gives the last line that had no end.
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

/** The last that a stream said, as it may be shown. */
class Tail {
  text = '';
  /** Never rejects: output that can't be read any more is over. */
  readonly ended: Promise<void>;

  constructor(stream: ChildProcess['stdout'], { redact, onLine }: RunOptions) {
    const take = (shown: string) => {
      onLine?.(shown);
      this.text = (this.text === '' ? shown : `${this.text}\n${shown}`).slice(-TAIL_CHARACTERS);
    };
    this.ended = stream === null ? Promise.resolve() : eachLine(stream, take, redact).catch(() => {});
  }
}

/** One that is gone already is none to signal. @param pid of the group's leader; undefined: none was started */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
