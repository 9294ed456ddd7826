import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program that this process has started, and that is stopped by its pid. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves with the exit code, or 128 plus the signal's number. */
  readonly ended: Promise<number>;
  /** Sends SIGTERM to the program's process group, and SIGKILL after `graceMs` if given; waits for its exit. */
  stop(graceMs?: number): Promise<number>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The file for the program's output, which is discarded by default. */
  readonly logFile?: string;
  /** The caller reads `child.stdout` and `child.stderr` itself. */
  readonly keepOutput?: boolean;
  /** Disposal kills the program at once, because its data and exit code are irrelevant. `stop` is unchanged. */
  readonly throwAway?: true;
}

const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };
/** The grace period of disposed programs, whose exit code is ignored. */
const STOP_GRACE_MS = 10_000;

/**
 * Wraps a command so that the kernel kills it (SIGKILL) as soon as this process exits for any reason: otherwise servers
 * would outlive a killed test run. A program that changes its uid loses this.
 */
export function tied(command: string, args: readonly string[]): [string, string[]] {
  return ['setpriv', ['--pdeathsig', 'KILL', command, ...args]];
}

/** A running program started by this process. */
interface RunningProgram {
  readonly command: string;
  readonly pid: number;
  /** The last line of the program's output on either stream; empty before the first. */
  readonly lastLine: string;
  /** Whether the program leads its own process group. */
  readonly isGroup: boolean;
}

const running = new Map<number, { readonly command: string; readonly isGroup: boolean; tail: string }>();
const TAIL_CHARACTERS = 2000;

/** Running programs started by `start` and `run`, for the report of a hung process. */
export function runningPrograms(): RunningProgram[] {
  return [...running].map(([pid, { command, isGroup, tail }]) => {
    return { command, pid, lastLine: tail.trimEnd().split('\n').at(-1) ?? '', isGroup };
  });
}

function register(child: ChildProcess, isGroup: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  const entry = { command: child.spawnargs.join(' '), isGroup, tail: '' };
  running.set(pid, entry);
  child.once('exit', () => running.delete(pid));
  for (const stream of [child.stdout, child.stderr]) {
    let isRead = false;
    // A listener added before the reader's would start the stream and lose earlier output.
    stream?.on('newListener', (event: string) => {
      if (event !== 'data' || isRead) return;
      isRead = true;
      stream.on('data', (chunk: Buffer | string) => {
        entry.tail = (entry.tail + chunk.toString()).slice(-TAIL_CHARACTERS);
      });
    });
  }
}

/** Starts a program in its own process group, so that its children are stopped with it. */
export async function start(command: string, args: readonly string[], options: StartOptions = {}): Promise<Running> {
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  register(child, true);
  const ended = once(child, 'exit').then(([code, signal]) => {
    return (code as number | null) ?? 128 + (SIGNAL_NUMBERS[signal as NodeJS.Signals] ?? 0);
  });
  if (options.logFile === undefined && options.keepOutput !== true) {
    child.stdout.on('data', () => {});
    child.stderr.on('data', () => {});
  } else if (options.logFile !== undefined) {
    // Opened at once, because it may be read before the stream would open it.
    const log = createWriteStream(options.logFile, { fd: openSync(options.logFile, 'a') });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('close', () => log.end());
  }
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no pid`);
  const stop = async (graceMs?: number): Promise<number> => {
    signalIfThere(-pid, 'SIGTERM');
    const grace = graceMs === undefined ? [] : [sleep(graceMs, undefined, { ref: false })];
    const code = await Promise.race([ended, ...grace]);
    signalIfThere(-pid, 'SIGKILL');
    return code ?? (await ended);
  };
  return {
    pid,
    child,
    ended,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop(options.throwAway ? 0 : STOP_GRACE_MS)),
  };
}

/** Sends a signal to a process, or to a process group for a negative id; ignores one that has exited. */
export function signalIfThere(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

/** Runs a program to completion and returns its output. Rejects only if it cannot be started. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    signal: options.signal,
  });
  register(child, false);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  child.stdin.on('error', () => {}); // it may exit without reading stdin
  child.stdin.end(options.input ?? '');
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: code ?? 128 + (SIGNAL_NUMBERS[signal ?? 'SIGKILL'] ?? 0), ...said };
}

/** Runs a program that must succeed, and returns its stdout. The error has the end of its output. */
export async function must(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${(stderr || stdout).slice(-2000)}`);
}

/** The end of a log file, for the error of a server that did not start. */
export function tailOf(file: string, characters = 2000): string {
  try {
    return readFileSync(file, 'utf8').slice(-characters);
  } catch {
    return '(no log)';
  }
}
