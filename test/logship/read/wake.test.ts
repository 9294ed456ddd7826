import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, rmdirSync, watch as watchPath, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Wake, type Watch } from '../../../src/logship/read/wake.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log, reading } from './reading.ts';

/** The calls as events for which a test can wait. */
function bell() {
  const rings = new EventTarget();
  return { ring: () => void rings.dispatchEvent(new Event('ring')), heard: () => once(rings, 'ring') };
}

test('reports a file added to a directory', async () => {
  await using directory = await privateDirectory('wake');
  const { ring, heard } = bell();
  using wake = new Wake({ moved: ring, grown: () => {}, log: log() });
  wake.watch([directory.path]);
  let number = 0;
  // The kernel starts the watch some time after it was requested.
  const writes = setInterval(() => writeFileSync(join(directory.path, `${number++}.log`), ''), 20);
  try {
    await heard();
  } finally {
    clearInterval(writes);
  }
});

test('each directory is watched once, and no longer once it is not wanted', async () => {
  await using directory = await privateDirectory('wake');
  const [a = '', b = '', c = ''] = ['a', 'b', 'c'].map((name) => join(directory.path, name));
  for (const each of [a, b, c]) mkdirSync(each);
  const calls: string[] = [];
  const watch: Watch = (path, listener) => {
    const watcher = watchPath(path, listener);
    const close = watcher.close.bind(watcher);
    watcher.close = () => (calls.push(`close ${path}`), close());
    calls.push(`watch ${path}`);
    return watcher;
  };
  using wake = new Wake({ moved: () => {}, grown: () => {}, log: log(), watch });
  for (const wanted of [
    [a, b],
    [a, b],
    [b, c],
  ])
    wake.watch(wanted);
  assert.deepEqual(calls, [`watch ${a}`, `watch ${b}`, `close ${a}`, `watch ${c}`]);
  assert.ok(wake.isWatching);
});

test('tells which file has changed', async () => {
  await using directory = await privateDirectory('wake');
  const [kept, renamed] = [join(directory.path, 'a.log'), join(directory.path, 'b.log')];
  for (const file of [kept, renamed]) writeFileSync(file, '');
  const paths = new Set<string | undefined>();
  const { ring, heard } = bell();
  const changed = (path?: string) => {
    paths.add(path);
    if (paths.has(kept) && paths.has(renamed)) ring();
  };
  using wake = new Wake({ moved: changed, grown: changed, log: log() });
  wake.watch([directory.path]);
  const both = heard();
  appendFileSync(kept, 'line\n');
  renameSync(renamed, `${renamed}.1`);
  await both;
  assert.deepEqual(paths, new Set([kept, renamed, `${renamed}.1`].filter((path) => paths.has(path))));
});

test('a directory that was replaced is watched again', async () => {
  await using directory = await privateDirectory('wake');
  const path = join(directory.path, 'logs');
  mkdirSync(path);
  const { ring, heard } = bell();
  using wake = new Wake({ moved: ring, grown: () => {}, log: log() });
  wake.watch([path]);
  const removed = heard();
  rmdirSync(path);
  await removed;
  assert.ok(!wake.isWatching);
  mkdirSync(path);
  wake.watch([path]);
  const added = heard();
  writeFileSync(join(path, 'a.log'), '');
  await added;
});

test('distinguishes appended lines from added files', async () => {
  await using directory = await privateDirectory('wake');
  const file = join(directory.path, 'a.log');
  writeFileSync(file, '');
  let moves = 0;
  const { ring, heard } = bell();
  using wake = new Wake({ moved: () => moves++, grown: ring, log: log() });
  wake.watch([directory.path]);
  const writes = setInterval(() => appendFileSync(file, 'line\n'), 20);
  await heard().finally(() => clearInterval(writes));
  assert.equal(moves, 0);
});

for (const [code, says] of [
  ['ENOSPC', /no watch is left on this node \(fs\.inotify\.max_user_watches\)/],
  ['EMFILE', /no inotify instance is left on this node/],
] as const) {
  test(`${code}: missing inotify watches are logged once, and watching stops`, async () => {
    const said: string[] = [];
    let asked = 0;
    const watch: Watch = () => {
      asked++;
      throw Object.assign(new Error(code), { code });
    };
    using wake = new Wake({ moved: () => {}, grown: () => {}, log: log(said), watch });
    wake.watch(['/a']);
    wake.watch(['/b']);
    assert.equal(asked, 1);
    assert.equal(said.length, 1);
    assert.match(said[0]!, says);
  });
}

test('a directory that was missing when it was asked for is watched', async () => {
  await using r = await reading({ patterns: ['late/*.log'] });
  await r.poll();
  await r.changed(1).catch(() => {});
  mkdirSync(r.path('late'));
  await r.poll();
  let number = 0;
  const writes = setInterval(() => writeFileSync(r.path(`late/${number++}.log`), 'new\n'), 20);
  // Much longer than the test.
  await r.changed(600_000).finally(() => clearInterval(writes));
  await r.poll(0);
  assert.ok(r.lines.length > 0);
});

test('a reader polls at once on an event', async () => {
  await using r = await reading();
  await r.poll();
  let number = 0;
  const writes = setInterval(() => writeFileSync(r.path(`${number++}.log`), 'new\n'), 20);
  // Much longer than the test.
  await r.changed(600_000).finally(() => clearInterval(writes));
  await r.poll(0);
  assert.ok(r.lines.length > 0);
});
