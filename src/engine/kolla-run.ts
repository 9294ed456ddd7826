/**
 * The supervisor of one program: kolla-core in between the program and the helper that runs it (src/process/run.ts), so
 * that nothing of it stays:
 *
 *   stdin: the command (src/process/supervised.ts) -> this process becomes the subreaper -> the program, in its own
 *   process group
 *   stdin ends, or SIGTERM -> SIGTERM to the group -> graceMs -> SIGKILL to all descendants
 *   the program's exit -> SIGKILL to all descendants, again until none is left -> its exit code, or its signal
 *
 * A descendant that leaves the group or the session, or loses its parent (timeout, setsid, nohup, a daemon), becomes our
 * child instead of PID 1's. If we are killed ourselves, the program gets SIGKILL. What is not ended: a process of another
 * user that we may not kill.
 */
import { descendantsOf } from '../process/procfs/descendants.ts';
import type { Supervised } from '../process/supervised.ts';
import { Buffer } from './runtime/buffer.ts';
import { done } from './runtime/errors.ts';
import { constants, openSync } from './fs.ts';
import { clearTimeout, POLLIN, setTimeout, turn, unwatch, watch, type Timer } from './runtime/loop.ts';
import { envOf, onChild, process } from './process.ts';
import { signalNumber } from './signals.ts';
import { PRCTL } from './runtime/sys.ts';

const [STDIN, CHUNK_BYTES] = [0, 65_536];
const [TERM, KILL] = [signalNumber('SIGTERM'), signalNumber('SIGKILL')];
/** Until the next round, doubled each time: a process that forks may have a child that the last one did not see. */
let pauseMs = 5;
const PAUSE_MAX_MS = 320;
/** After the program's exit, what still cannot be killed is left: it is another user's, or hangs in the kernel. */
const LEFT_AFTER_MS = 1000;
const MONOTONIC = 1;
const NEWLINE = 0x0a;
/** The exit code for a program that cannot be executed, as a shell's. */
const NOT_EXECUTABLE = 126;

let pid = 0;
let ended: { readonly code: number; readonly signal: number } | undefined;
let isKilling = false;
let leftAt: number | undefined;
let timer: Timer | undefined;

/** Returns the function that native/main.c calls, as of the commands (start.ts), whose dispatch is not needed. */
export function supervise(): () => void {
  const [line, rest] = readCommand();
  // Our caller is gone, and nothing was started.
  if (line === undefined) return sys.exit(0);
  const { file, words, env, graceMs, descriptors } = JSON.parse(line) as Supervised;
  done(sys.prctl(PRCTL.childSubreaper, 1), 'prctl');
  const stop = () => stopIn(graceMs);
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, stop);
  onChild(reap);
  const others = Array.from({ length: descriptors - 1 }, (_, i) => i + 1);
  const from = Int32Array.from([openSync('/dev/null', constants.O_RDWR), ...others]);
  try {
    pid = done(sys.spawn(file, words, envOf(env), from.buffer, KILL), 'execve', file);
  } catch (error) {
    process.stderr.write(`${file}: ${(error as Error).message}\n`);
    return sys.exit(NOT_EXECUTABLE);
  }
  if (rest > 0) kill();
  watch(STDIN, POLLIN, () => {
    const isMore = sys.read(STDIN, new Uint8Array(1), 0, 1, -1) > 0;
    unwatch(STDIN);
    if (isMore) kill();
    else stop();
  });
  return () => turn(() => sys.exit(0));
}

/** The first line of stdin, and the number of bytes after it. Undefined if the input ends before. */
function readCommand(): [line: string | undefined, rest: number] {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const length = done(sys.read(STDIN, chunk, 0, chunk.length, -1), 'read');
    if (length === 0) return [undefined, 0];
    const end = chunk.subarray(0, length).indexOf(NEWLINE);
    chunks.push(chunk.subarray(0, end === -1 ? length : end));
    if (end !== -1) return [Buffer.concat(chunks).toString(), length - end - 1];
  }
}

function stopIn(graceMs: number): void {
  if (graceMs === 0) return kill();
  if (timer === undefined && !isKilling) timer = setTimeout(kill, graceMs);
  sys.kill(-pid, TERM);
}

/** Kills all descendants; then again, until `reap` finds that none is left. */
function kill(): void {
  clearTimeout(timer);
  isKilling = true;
  if (ended !== undefined) {
    leftAt ??= sys.now(MONOTONIC) + LEFT_AFTER_MS;
    if (sys.now(MONOTONIC) > leftAt) finish(ended);
  }
  // The group at once, so that none of it can fork in between.
  if (ended === undefined) sys.kill(-pid, KILL);
  for (const one of descendantsOf(process.pid)) sys.kill(one, KILL);
  timer = setTimeout(kill, pauseMs);
  pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
}

/** Reaps all exited descendants. Ends this process after the last one. */
function reap(): void {
  const status = new Int32Array(1);
  for (;;) {
    const one = sys.wait(-1, status.buffer);
    if (one === pid) {
      ended = { code: (status[0]! >> 8) & 0xff, signal: status[0]! & 0x7f };
      // Its pid is free from now on, but not yet used again.
      sys.kill(-pid, KILL);
    }
    if (one < 0 && ended !== undefined) finish(ended);
    if (one <= 0) break;
  }
  if (ended !== undefined) kill();
}

/** Ends like the program, without a core file of ours. */
function finish({ code, signal }: NonNullable<typeof ended>): never {
  if (signal === 0) return sys.exit(code);
  sys.prctl(PRCTL.dumpable, 0);
  sys.onSignal(signal, 0);
  sys.kill(process.pid, signal);
  return sys.exit(128 + signal);
}
