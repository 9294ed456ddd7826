import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheRoot } from '../tools/cache.ts';
import { start, type Running } from '../tools/process.ts';
import { fileURLToPath } from 'node:url';
import type { Story } from './story.ts';

const FROM_SOURCE = fileURLToPath(new URL('../build/from-source.ts', import.meta.url));

export interface HelperRun {
  readonly actor: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Called with each message too. */
  readonly onMessage?: (message: string) => void;
}

/** Starts a helper and prints its log, line by line, under the actor's name. */
export async function startHelper(story: Story, { actor, name, args, env, onMessage }: HelperRun): Promise<Running> {
  const running = await start(process.execPath, [FROM_SOURCE, name, ...args], {
    // Otherwise each start strips the types of hundreds of files again.
    env: { NODE_COMPILE_CACHE: join(cacheRoot(), 'compiled'), ...process.env, ...env },
    keepOutput: true,
  });
  const { stdout, stderr } = running.child;
  stdout?.resume();
  if (stderr === null) throw new Error(`${name} has no stderr`);
  createInterface({ input: stderr }).on('line', (line) => {
    const message = messageIn(line);
    if (message === undefined) return;
    story.say(actor, message);
    onMessage?.(message);
  });
  return running;
}

/** The message of a log line; from a child's output, only its running migration. */
function messageIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { level, msg, from } = JSON.parse(line) as { level: string; msg: string; from?: string };
  if (level === 'debug') return undefined;
  return from === undefined ? msg : /Running upgrade.*/.exec(msg)?.[0];
}
