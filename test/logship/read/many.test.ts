/** What thousands of files cost, in calls. */
import assert from 'node:assert/strict';
import fs, { appendFileSync, writeFileSync, type Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { ByFile } from '../../../src/logship/read/by-file.ts';
import type { HeldFile } from '../../../src/logship/read/held-file.ts';
import { listed, type List } from '../../../src/logship/read/listing.ts';
import { RotatedTails } from '../../../src/logship/read/rotated-tails.ts';
import type { Tail } from '../../../src/logship/read/tail.ts';
import { reading } from './reading.ts';

const SIBLINGS = 5;

/** How often the first start asks for the identity of one rotated file. */
async function askedFor(files: number): Promise<number> {
  let asked = 0;
  const counted = (stat: Stats) =>
    new Proxy(stat, {
      get(target, key) {
        if (key === 'ino') asked++;
        return Reflect.get(target, key, target) as unknown;
      },
    });
  const list: List = (...args) => listed(...args).map(({ name, stat }) => ({ name, stat: counted(stat) }));
  await using r = await reading({ list, patterns: ['*.log*'] });
  for (let n = 0; n < files; n++)
    for (const end of ['', ...Array.from({ length: SIBLINGS }, (_, nth) => `.${nth + 1}`)])
      writeFileSync(r.path(`${n}.log${end}`), `line of ${n}${end}\n`);
  await r.poll();
  assert.equal(r.lines.length, files * (SIBLINGS + 1));
  return asked / (files * SIBLINGS);
}

test('at the first start a rotated file is compared as often among many files as among few', async () => {
  assert.equal(await askedFor(80), await askedFor(20));
});

test('what reads a file is found by the file that it has now, and others of that file too', () => {
  const byFile = new ByFile<{ file: { dev: number; ino: number } }>();
  const [a, b] = [{ file: { dev: 1, ino: 1 } }, { file: { dev: 1, ino: 1 } }];
  for (const each of [a, b, a]) byFile.add(each);
  assert.deepEqual(new Set(byFile.of({ dev: 1, ino: 1 })), new Set([a, b]));
  a.file = { dev: 2, ino: 1 };
  byFile.add(a);
  assert.deepEqual(byFile.of({ dev: 1, ino: 1 }), [b]);
  assert.deepEqual(byFile.of({ dev: 2, ino: 1 }), [a]);
  for (const each of [a, b, b]) byFile.delete(each);
  assert.deepEqual([...byFile.of({ dev: 1, ino: 1 }), ...byFile.of({ dev: 2, ino: 1 })], []);
});

test('a file that may be back is looked for among the rotated ones of its path alone', () => {
  const tails = new RotatedTails(() => 0);
  let asked = 0;
  const tailAt = (path: string) =>
    ({
      get path() {
        asked++;
        return path;
      },
      file: { isSame: () => false },
    }) as unknown as Tail;
  for (let n = 0; n < 1000; n++) tails.grew(tailAt(`/${n}.log`));
  asked = 0;
  assert.equal(tails.takeBack('/7.log', {} as HeldFile), undefined);
  assert.ok(asked <= 1, `${asked} tails`);
});

test('what is reported of files takes no calls, and counts what the last look has seen', async (t) => {
  await using r = await reading();
  const names = Array.from({ length: 20 }, (_, n) => `${n}.log`);
  for (const name of names) writeFileSync(r.path(name), 'line\n');
  await r.poll();
  r.acknowledge = () => false;
  for (const name of names) appendFileSync(r.path(name), 'more\n');
  const calls = (['fstatSync', 'statSync'] as const).map((name) => t.mock.method(fs, name));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const count = () => calls.reduce((sum, { mock }) => sum + mock.callCount(), 0);
  assert.equal(r.left, 0);
  assert.equal(r.fileStates.length, names.length);
  assert.equal(count(), 0);
  await r.poll();
  assert.ok(count() >= names.length);
  const before = count();
  assert.equal(r.left, names.length * 'more\n'.length);
  assert.deepEqual(
    r.fileStates.map(({ unread, left }) => [unread, left]),
    names.map(() => [0, 'more\n'.length]),
  );
  assert.equal(count(), before);
});
