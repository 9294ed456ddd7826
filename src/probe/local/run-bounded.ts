import { spawn, type ChildProcess } from 'node:child_process';
import { messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import { healthy, unhealthy, type Verdict } from '../verdict.ts';

/** So much of what it says last is kept, of each stream. */
const TAIL_CHARACTERS = 4096;
/** For the last words of a program that has ended: whoever it left behind may hold its streams open for ever. */
const LAST_WORDS_MS = 100;

/**
 * Runs a program without a shell, in a process group of its own, all of which is killed when the signal is aborted or
 * the program has ended. Healthy when it ends with 0; else the reason is its last line.
 */
export async function runBounded(
  program: string,
  words: readonly string[],
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<Verdict> {
  signal.throwIfAborted();
  const child = spawn(program, [...words], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [tailOf(child.stdout), tailOf(child.stderr)];
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const ended = await new Promise<string>((resolve) => {
      let text = '';
      child.once('error', (error) => resolve(`cannot be run: ${messageOf(error)}`));
      child.once('exit', (code, name) => {
        text = code === null ? `was killed by ${name}` : code === 0 ? '' : `ended with ${code}`;
        setTimeout(() => resolve(text), LAST_WORDS_MS).unref();
      });
      child.once('close', () => resolve(text));
    });
    if (ended === '') return healthy;
    const said = lastLine(err()) || lastLine(out());
    return unhealthy(`${program} ${ended}${said === '' ? '' : `: ${said}`}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Also what the program has left behind: the group lives as long as one of it does. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function tailOf(stream: NodeJS.ReadableStream): () => string {
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-TAIL_CHARACTERS)));
  return () => tail;
}

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split('\n').at(-1)?.trim() ?? '');
}
