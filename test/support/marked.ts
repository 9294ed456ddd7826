import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

const MARK = 'KOLLA_TEST_MARK';

/** Recognizes everything that a program starts, wherever it goes, by its environment. */
export interface Marked {
  /** The environment to start the program with. */
  readonly env: NodeJS.ProcessEnv;
  /** The commands of the processes that are running now. Zombies have no environment, so they do not count. */
  readonly commands: () => string[];
}

export function marking(t: TestContext): Marked {
  const mark = randomUUID();
  const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isMarked(name, `${MARK}=${mark}`));
  t.after(() => {
    for (const pid of pids()) process.kill(Number(pid), 'SIGKILL');
  });
  return {
    env: { PATH: process.env['PATH'], [MARK]: mark },
    commands: () => pids().map((pid) => read(pid, 'cmdline').split('\0').join(' ').trim()),
  };
}

function isMarked(pid: string, mark: string): boolean {
  return read(pid, 'environ').split('\0').includes(mark);
}

/** Empty if the process has exited meanwhile, or is another user's. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
