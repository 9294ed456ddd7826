import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

/**
 * Stops every process of a group with SIGSTOP, and resolves when all their threads have stopped: delivery is
 * asynchronous, and on a busy machine a multi-threaded server still answers for a while.
 * @param group process group id: the pid of a process from `start()`
 */
export async function stopGroup(group: number): Promise<void> {
  process.kill(-group, 'SIGSTOP');
  await until(`the threads of process group ${group} to stop`, (saw) => {
    const states = membersOf(group).flatMap(threadStates);
    saw(states.join(''));
    // Z means exited but not reaped.
    return states.every((state) => 'TtZX'.includes(state)) || undefined;
  });
}

function membersOf(group: number): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && statOf(`/proc/${pid}/stat`)?.[2] === String(group));
}

function threadStates(pid: string): string[] {
  const threads = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) => statOf(`/proc/${pid}/task/${thread}/stat`)?.[0] ?? []);
}

/** State, parent and group, after the name in parentheses; undefined if it has exited. */
function statOf(path: string): string[] | undefined {
  return unlessGone(() => readFileSync(path, 'utf8').split(') ').at(-1)?.split(' '));
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
