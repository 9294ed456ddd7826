import assert from 'node:assert/strict';
import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { trimIcu } from '../../build/icu.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

const QUESTIONS = new URL('./fixtures/text.cjs', import.meta.url).pathname;

let directory: Directory;
let trimmed: string;
let freed: number;

before(async () => {
  directory = await privateDirectory('icu');
  trimmed = join(directory.path, 'node');
  await copyFile(process.execPath, trimmed);
  freed = trimIcu(trimmed);
});
after(async () => await directory[Symbol.asyncDispose]());

test('ICU data shrinks by megabytes, and the file keeps its size', async () => {
  assert.ok(freed > 15 * 2 ** 20, `${freed} bytes`);
  assert.equal((await stat(trimmed)).size, (await stat(process.execPath)).size);
});

for (const LANG of ['C', 'C.UTF-8', 'nonsense']) {
  test(`domains, encodings, zones and English output are unchanged with LANG=${LANG}`, async () => {
    const env = { LANG, LC_ALL: LANG };
    assert.equal(await must(trimmed, [QUESTIONS], { env }), await must(process.execPath, [QUESTIONS], { env }));
  });
}

test('other languages fall back to English instead of failing', async () => {
  const ask = `
    const date = new Date(Date.UTC(2026, 10, 21));
    const said = ['de', 'ja', 'ar-EG', 'zh-Hant-TW', 'sr-Latn', 'th'].map((language) => [
      new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(date),
      ['b', 'a'].sort(new Intl.Collator(language).compare).join(''),
      [...new Intl.Segmenter(language, { granularity: 'word' }).segment('สวัสดี 你好')].length > 0,
    ]);
    process.stdout.write([...new Set(said.map(String))].join());`;
  assert.equal(await must(trimmed, ['-e', ask]), 'Nov 21, 2026,ab,true');
});

test('a file without exactly one archive of the known format is rejected', async () => {
  const file = join(directory.path, 'other');
  await writeFile(file, 'no archive');
  assert.throws(() => trimIcu(file), /not exactly one archive of ICU data/);
});
