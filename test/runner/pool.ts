/**
 * Concurrency-limited lanes that do not block one another.
 *
 *   tasks in order -> the first ready task of a lane takes its free slot -> result, as each ends
 *
 * A lane stands for a contended resource. Tasks that mostly wait (leases, deadlines, server starts) share CPUs well,
 * so many of them run next to the few that need a CPU each.
 */
import { once } from 'node:events';

export interface Task<R> {
  readonly lane: string;
  /**
   * Resolves when its prerequisites exist, such as a program that is built once. Never rejects; by default it resolves
   * at once.
   */
  readonly ready?: Promise<void> | undefined;
  run(signal: AbortSignal): Promise<R>;
}

/**
 * Runs all; resolves when the last has ended or, once the signal was aborted, when the running ones have.
 * @param places concurrency of each lane
 * @param ended called with each result
 * @returns the tasks not started because of the signal
 * @throws an error of a task or of `ended`, after the others have ended
 */
export async function inLanes<T extends Task<unknown>>(
  tasks: readonly T[],
  places: Readonly<Record<T['lane'], number>>,
  signal: AbortSignal,
  ended: (task: T, result: Awaited<ReturnType<T['run']>>) => void,
): Promise<T[]> {
  const waiting = new Set(tasks);
  const ready = new Set(tasks.filter((task) => task.ready === undefined));
  const running = new Map<T, Promise<void>>();
  const changes = new EventTarget();
  const changed = () => changes.dispatchEvent(new Event('change'));
  const failures: unknown[] = [];
  for (const task of tasks) void task.ready?.then(() => ready.add(task)).then(changed);
  signal.addEventListener('abort', changed);

  const hasPlace = (lane: T['lane']) => [...running.keys()].filter((task) => task.lane === lane).length < places[lane];
  const start = async (task: T): Promise<void> => {
    try {
      ended(task, (await task.run(signal)) as Awaited<ReturnType<T['run']>>);
    } catch (error) {
      failures.push(error);
    } finally {
      running.delete(task);
      changed();
    }
  };
  for (;;) {
    const change = once(changes, 'change');
    if (!signal.aborted && failures.length === 0) {
      for (const task of waiting) {
        if (!ready.has(task) || !hasPlace(task.lane)) continue;
        waiting.delete(task);
        running.set(task, start(task));
      }
    }
    const isOver = waiting.size === 0 || signal.aborted || failures.length > 0;
    if (isOver && running.size === 0) break;
    await change;
  }
  signal.removeEventListener('abort', changed);
  if (failures.length > 0) throw failures[0];
  return [...waiting];
}
