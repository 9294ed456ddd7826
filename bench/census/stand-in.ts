import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { must } from '../../tools/process.ts';

const SCRIPT = fileURLToPath(new URL('stand-in.py', import.meta.url));

/** How a process gets its name: as a script run by its interpreter, or by setting its own title. */
export interface Looks {
  readonly name: string;
  readonly title?: string;
}

/** Commands of stand-in.py. */
export type Command = readonly [
  'listen' | 'connect' | 'ended' | 'connecting' | 'full' | 'answer' | 'unix' | 'close',
  ...(string | number)[],
];

/** A process with a service's name and real sockets. */
export interface StandIn extends AsyncDisposable {
  readonly pid: number;
  /** Runs commands in order; throws if one fails. */
  does(...commands: readonly Command[]): Promise<void>;
}

/** Creates stand-ins with scripts in a directory, run by python3. */
export async function standIns(directory: string): Promise<(looks: Looks) => Promise<StandIn>> {
  const python = (await must('python3', ['-c', 'import sys; print(sys.executable)'])).trim();
  const text = await readFile(SCRIPT, 'utf8');
  return async ({ name, title }) => {
    const file = join(directory, name);
    // Executed through its shebang, as pip's scripts are: the kernel then names the process after the script.
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
