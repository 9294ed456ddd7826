/**
 * Runs a program and waits for its exit:
 *
 *   spawn, in its own process group, under a supervisor -> its lines, each passed on, the last ones kept
 *   signal aborted -> SIGTERM to the group -> graceMs -> SIGKILL to all of its descendants
 *   its exit -> SIGKILL to its descendants -> drainMs for output held open by others -> code, signal and last lines
 *
 * The caller interprets the exit code. A deadline is a signal too: AbortSignal.any. The supervisor is kolla-core
 * (src/engine/kolla-run.ts, ADR 33). Without it, only descendants that still belong to the program are found.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { codeOf } from '../core/errors.ts';
import type { Redact } from '../core/redact.ts';
import { findProgram, isRefusal } from './exec/find-program.ts';
import { eachLine } from './lines.ts';
import { descendantsOf } from './procfs/descendants.ts';
import { residentBytes } from './resident.ts';
import { SUPERVISOR_NAME, type Supervised } from './supervised.ts';
import { supervisor } from '#supervisor';

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program and its descendants. If it is already aborted, nothing is started. */
  readonly signal: AbortSignal;
  /** Time from SIGTERM to SIGKILL; 0 sends SIGKILL immediately. */
  readonly graceMs: number;
  /** `inherit` shares our stdout and stderr, so that no line is seen here. */
  readonly output?: 'inherit';
  /**
   * How long to wait for the end of the output after the program's exit, because a process that could not be killed may
   * keep it open.
   */
  readonly drainMs?: number;
  /** Our open file that becomes the program's stdout, whose lines are not seen here. */
  readonly stdout?: number;
  /** The same for its stderr. */
  readonly stderr?: number;
  /** Our open files that become the program's descriptors 3, 4, ... */
  readonly descriptors?: readonly number[];
  /** Redacts the program's lines before they are passed on. */
  readonly redact?: Redact;
  readonly onLine?: (line: string) => void;
  /** The path of kolla-core; undefined without it. By default the one next to this binary. */
  readonly supervisor?: () => string | undefined;
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
  /** Rejects with the system's error if the program could not be started. Also resolves after the signal. */
  readonly ended: Promise<Ended>;
  /** Kills the program and its descendants at once. */
  readonly kill: () => void;
  /** Resident memory of the program itself; undefined if it does not run. */
  readonly residentBytes: () => number | undefined;
}

const DRAIN_MS = 500;
/** Number of characters that are kept of each stream, enough for a reason. */
const TAIL_CHARACTERS = 4096;
/** Signal names by number minus one, on Linux. */
const SIGNALS: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU ' +
  'XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');

/** Where a shell looks without a PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * Starts a program without a shell.
 * @throws the signal's reason if it is already aborted
 */
export function start(file: string, args: readonly string[], options: RunOptions): Child {
  options.signal.throwIfAborted();
  const running = supervised(file, args, options) ?? alone(file, args, options);
  return { ended: endOf(running, options), kill: running.kill, residentBytes: running.residentBytes };
}

interface Running extends Omit<Child, 'ended'> {
  readonly child: ChildProcess;
  /** Starts the end: SIGTERM, and SIGKILL after the grace period. */
  readonly stop: () => void;
  /** After the program's end. */
  readonly finish: () => void;
}

/** Undefined without a supervisor, and if there is no such program, which the system reports. */
function supervised(file: string, args: readonly string[], options: RunOptions): Running | undefined {
  const { env, graceMs, output = 'pipe', stdout = output, stderr = output, descriptors = [] } = options;
  const binary = (options.supervisor ?? supervisor)();
  const found = findProgram(file, env['PATH'] ?? DEFAULT_PATH);
  if (binary === undefined || isRefusal(found)) return undefined;
  const child = spawn(binary, [], {
    argv0: SUPERVISOR_NAME,
    env: {},
    detached: true,
    stdio: ['pipe', stdout, stderr, ...descriptors],
  });
  const stdin = child.stdin!;
  // Its exit is detected separately.
  stdin.on('error', () => {});
  const words = found.words.length === 0 ? [file, ...args] : [found.file, ...found.words, ...args];
  const command: Supervised = { file: found.file, words, env, graceMs, descriptors: 3 + descriptors.length };
  stdin.write(`${JSON.stringify(command)}\n`);
  let pid: number | undefined;
  return {
    child,
    stop: () => stdin.end(),
    kill: () => void stdin.write('!'),
    finish: () => stdin.end(),
    residentBytes() {
      if (child.pid !== undefined) pid ??= descendantsOf(child.pid)[0];
      return pid === undefined ? undefined : residentBytes(pid);
    },
  };
}

function alone(file: string, args: readonly string[], options: RunOptions): Running {
  const { env, graceMs, output = 'pipe', stdout = output, stderr = output, descriptors = [] } = options;
  const stdio = ['ignore', stdout, stderr, ...descriptors] as const;
  const child = spawn(file, args, { env, detached: true, stdio: [...stdio] });
  const { pid } = child;
  let killing: NodeJS.Timeout | undefined;
  const kill = () => {
    const others = pid === undefined ? [] : descendantsOf(pid);
    signalGroup(pid, 'SIGKILL');
    for (const other of others) signalTo(other, 'SIGKILL');
  };
  return {
    child,
    stop() {
      if (graceMs === 0) return kill();
      signalGroup(pid, 'SIGTERM');
      killing = setTimeout(kill, graceMs);
    },
    kill,
    finish() {
      clearTimeout(killing);
      signalGroup(pid, 'SIGKILL');
    },
    residentBytes: () => (pid === undefined ? undefined : residentBytes(pid)),
  };
}

async function endOf({ child, stop, finish }: Running, options: RunOptions): Promise<Ended> {
  const { signal, drainMs = DRAIN_MS } = options;
  const [out, err] = [new Tail(child.stdout, options), new Tail(child.stderr, options)];
  const output = Promise.all([out.ended, err.ended]);
  signal.addEventListener('abort', stop, { once: true });
  let draining: NodeJS.Timeout | undefined;
  try {
    const { code, by } = await exitOf(child).finally(() => {
      // Nothing is signalled later, when the pid may be another program's.
      signal.removeEventListener('abort', stop);
      finish();
    });
    await Promise.race([output, new Promise((resolve) => (draining = setTimeout(resolve, drainMs)))]);
    // Destroying a stream still flushes its unterminated last line.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    await output;
    return { code, by, out: out.text, err: err.text };
  } finally {
    clearTimeout(draining);
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
  if (pid !== undefined) signalTo(-pid, signal);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
  }
}
