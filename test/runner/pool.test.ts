import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from './pool.ts';

const never = new AbortController().signal;

/** Tasks that finish on request, with a record of the pool's actions. */
function stage(lanes: Readonly<Record<string, string>>) {
  const events: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const starts = new Map(Object.keys(lanes).map((name) => [name, Promise.withResolvers<void>()]));
  const tasks = Object.entries(lanes).map(([name, lane]) => ({
    name,
    lane,
    run: (): Promise<string> => {
      events.push(`start ${name}`);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      starts.get(name)!.resolve();
      return end.promise;
    },
  }));
  return {
    tasks,
    events,
    started: (name: string) => starts.get(name)!.promise,
    end: (name: string) => ends.get(name)!.resolve(name),
    ended: ({ name }: { name: string }) => void events.push(`end ${name}`),
  };
}

test('a lane runs as many tasks as it has slots, in order, and lanes do not block one another', async () => {
  const { tasks, events, started, end, ended } = stage({ a: 'x', b: 'x', c: 'y', d: 'x' });
  const run = inLanes(tasks, { x: 1, y: 1 }, never, ended);
  await started('c');
  assert.deepEqual(events, ['start a', 'start c']);
  end('a');
  await started('b');
  end('c');
  end('b');
  await started('d');
  end('d');
  assert.deepEqual(await run, []);
  assert.deepEqual(
    events.filter((event) => !/c/.test(event)),
    ['start a', 'end a', 'start b', 'end b', 'start d', 'end d'],
  );
});

test('a task that is not ready is overtaken by the next one', async () => {
  const { tasks, events, started, end, ended } = stage({ a: 'x', b: 'x' });
  const ready = Promise.withResolvers<void>();
  const run = inLanes([{ ...tasks[0]!, ready: ready.promise }, tasks[1]!], { x: 1 }, never, ended);
  await started('b');
  end('b');
  ready.resolve();
  await started('a');
  end('a');
  await run;
  assert.deepEqual(events, ['start b', 'end b', 'start a', 'end a']);
});

test('after the time limit the pool starts nothing and returns the rest', async () => {
  const { tasks, events, started, end, ended } = stage({ a: 'x', b: 'x' });
  const over = new AbortController();
  const run = inLanes(tasks, { x: 1 }, over.signal, ended);
  await started('a');
  over.abort();
  end('a');
  assert.deepEqual(
    (await run).map(({ name }) => name),
    ['b'],
  );
  assert.deepEqual(events, ['start a', 'end a']);
});

test('an error of the runner itself is thrown once the running tasks have ended', async () => {
  const { tasks, events, started, end, ended } = stage({ a: 'x', b: 'x', c: 'x' });
  const broken = { name: 'broken', lane: 'y', run: () => Promise.reject(new Error('no such file')) };
  const run = inLanes([tasks[0]!, broken], { x: 1, y: 1 }, never, ended);
  const outcome = assert.rejects(run, /no such file/);
  await started('a');
  end('a');
  await outcome;
  assert.deepEqual(events, ['start a', 'end a']);
});
