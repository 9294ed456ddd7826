import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { must } from '../../tools/process.ts';

const SCRIPT = fileURLToPath(new URL('stand-in.py', import.meta.url));

/** How a process is to be named: as a script that its interpreter runs, or by a title that it has given itself. */
export interface Looks {
  readonly name: string;
  readonly title?: string;
}

/** What a stand-in can be told to do: stand-in.py's commands. */
export type Command = readonly [
  'listen' | 'connect' | 'ended' | 'connecting' | 'full' | 'answer' | 'unix' | 'close',
  ...(string | number)[],
];

/** A process with the name of a service's, and with real sockets. */
export interface StandIn extends AsyncDisposable {
  readonly pid: number;
  /** Does one thing after the other; throws with what went wrong. */
  does(...commands: readonly Command[]): Promise<void>;
}

/** Makes stand-ins whose scripts lie in a directory; python3 runs them. */
export async function standIns(directory: string): Promise<(looks: Looks) => Promise<StandIn>> {
  const python = (await must('python3', ['-c', 'import sys; print(sys.executable)'])).trim();
  const text = await readFile(SCRIPT, 'utf8');
  return async ({ name, title }) => {
    const file = join(directory, name);
    // Started by its own first line, as pip's scripts are: the kernel then calls the process by the script's name.
    await writeFile(file, `#!${python}\n${text}`, { mode: 0o755 });
    return title === undefined
      ? await started(file, [])
      : await started(python, ['-c', `open('/proc/self/comm', 'w').write('${title.slice(0, 15)}')\n${text}`], title);
  };
}

async function started(program: string, args: readonly string[], argv0?: string): Promise<StandIn> {
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  const child = spawn(program, [...args], { stdio, ...(argv0 === undefined ? {} : { argv0 }) });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async does(...commands) {
      for (const command of commands) {
        child.stdin.write(`${JSON.stringify(command)}\n`);
        const { value } = (await answers.next()) as { value?: string };
        if (value !== 'ok') throw new Error(`stand-in: ${value ?? 'it has ended'}`);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
