/** The part of `node:child_process` that we use: `spawn` of a file by path, in its own process group. */
import { Buffer } from './runtime/buffer.ts';
import { Emitter } from './runtime/emitter.ts';
import { findProgram, isRefusal } from '../process/exec/find-program.ts';
import { done } from './runtime/errors.ts';
import { constants, openSync } from './fs.ts';
import { currentOwner, keep, letGo, POLLIN, runFor, setImmediate, unwatch, watch } from './runtime/loop.ts';
import { envOf, onChild, writeAll } from './process.ts';
import { SIGNAL_NAMES, type SignalName } from './signals.ts';

interface SpawnOptions {
  /** The program's name for itself; by default the file. */
  readonly argv0?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly detached: true;
  /** stdin, stdout, stderr and further descriptors of the child. */
  readonly stdio: readonly ('ignore' | 'pipe' | 'inherit' | number)[];
}

const CHUNK_BYTES = 65_536;

/** The read end of a child's pipe. A character that is split between two chunks waits for the rest. */
class Output extends Emitter<{ data: [string]; close: [] }> {
  readonly #fd: number;
  #open = true;
  #rest: Uint8Array = new Uint8Array();

  constructor(fd: number) {
    super();
    this.#fd = fd;
    watch(fd, POLLIN, () => this.#read());
  }

  /** The encoding is always UTF-8. */
  setEncoding(): this {
    return this;
  }

  destroy(): void {
    if (!this.#open) return;
    this.#open = false;
    unwatch(this.#fd);
    sys.close(this.#fd);
    if (this.#rest.length > 0) this.emit('data', Buffer.from(this.#rest).toString());
    setImmediate(() => this.emit('close'));
  }

  #read(): void {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const length = sys.read(this.#fd, chunk, 0, chunk.length, -1);
    if (length <= 0) {
      this.destroy();
      return;
    }
    const bytes = Buffer.concat([this.#rest, chunk.subarray(0, length)]);
    const whole = bytes.length - unfinished(bytes);
    this.#rest = bytes.subarray(whole);
    if (whole > 0) this.emit('data', bytes.toString('utf8', 0, whole));
  }
}

/** The write end of a child's stdin. */
class Input {
  #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** There are no errors: a child that has exited is reported by its own event. */
  on(_event: 'error', _listener: (error: Error) => void): this {
    return this;
  }

  write(text: string): void {
    if (this.#fd !== CLOSED) writeAll(this.#fd, new Uint8Array(sys.encode(text)));
  }

  end(): void {
    if (this.#fd !== CLOSED) sys.close(this.#fd);
    this.#fd = CLOSED;
  }
}
const CLOSED = -1;

/** Number of trailing bytes that start an incomplete UTF-8 character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

interface ChildEvents extends Record<string, readonly unknown[]> {
  exit: [code: number | null, by: SignalName | null];
  error: [Error];
}

export class ChildProcess extends Emitter<ChildEvents> {
  pid: number | undefined;
  readonly owner = currentOwner();
  stdin: Input | null = null;
  stdout: Output | null = null;
  stderr: Output | null = null;

  ended(code: number, signal: number): void {
    this.emit('exit', signal === 0 ? code : null, signal === 0 ? null : SIGNAL_NAMES[signal - 1]!);
  }

  failed(error: unknown): void {
    this.emit('error', error as Error);
  }
}

const running = new Map<number, ChildProcess>();

export function spawn(file: string, args: readonly string[], { env, stdio, argv0 = file }: SpawnOptions): ChildProcess {
  const child = new ChildProcess();
  const [closing, descriptors]: [number[], number[]] = [[], []];
  const outputs: (Output | null)[] = [];
  for (const [i, how] of stdio.entries()) {
    if (typeof how === 'number') descriptors.push(how);
    else if (how === 'inherit') descriptors.push(i);
    else {
      const [ours, theirs] =
        how === 'ignore'
          ? [undefined, openSync('/dev/null', constants.O_RDWR)]
          : i === 0
            ? pipe().toReversed()
            : pipe();
      descriptors.push(theirs);
      closing.push(theirs);
      if (ours === undefined) continue;
      if (i === 0) child.stdin = new Input(ours);
      else outputs[i] = new Output(ours);
    }
  }
  try {
    // Registered before the child starts, so that an immediate exit is noticed too.
    if (running.size === 0) onChild(reap);
    const found = findProgram(file, env['PATH'] ?? '');
    // The system reports a missing file.
    const { file: path, words } = isRefusal(found) ? { file, words: [] } : found;
    child.pid = done(
      sys.spawn(
        path,
        words.length === 0 ? [argv0, ...args] : [path, ...words, ...args],
        envOf(env),
        Int32Array.from(descriptors).buffer,
        0,
      ),
      'spawn',
      file,
    );
    running.set(child.pid, child);
    keep(child);
  } catch (error) {
    for (const output of outputs) output?.destroy();
    child.stdin?.end();
    setImmediate(() => child.failed(error));
  } finally {
    for (const fd of closing) sys.close(fd);
  }
  child.stdout = outputs[1] ?? null;
  child.stderr = outputs[2] ?? null;
  return child;
}

function pipe(): [number, number] {
  const ends = new Int32Array(2);
  done(sys.pipe(ends.buffer), 'pipe');
  return [ends[0]!, ends[1]!];
}

/** As PID 1 we reap orphans, including earlier ones, whether or not we start a child. */
export function reapOrphans(): void {
  if (sys.id(4) !== 1) return;
  onChild(reap);
  reap();
}

/** Reaps our exited children, and as PID 1 all exited processes. */
function reap(): void {
  const ids = sys.id(4) === 1 ? [-1] : [...running.keys()];
  const status = new Int32Array(1);
  for (const id of ids) {
    for (let pid = sys.wait(id, status.buffer); pid > 0; pid = sys.wait(id, status.buffer)) {
      const [code, signal] = [(status[0]! >> 8) & 0xff, status[0]! & 0x7f];
      const child = running.get(pid);
      if (child !== undefined) {
        running.delete(pid);
        letGo(child);
        child.stdin?.end();
        runFor(child.owner, () => child.ended(code, signal));
      }
      if (id !== -1) break;
    }
  }
}
