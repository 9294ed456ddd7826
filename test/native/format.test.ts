/** Checks the formatting of native/ with clang-format, and its size limit. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../tools/process.ts';
import { canFormatC, clangFormat } from '../cluster/clang-format.ts';

const NATIVE = join(import.meta.dirname, '../../native');
/** Code that runs as root must be short enough for a complete review. */
const LINES_MAX = 700;

const files = (await readdir(NATIVE)).filter((name) => /\.[ch]$/.test(name)).map((name) => join(NATIVE, name));
const skip = (await canFormatC()) ?? false;

test('native/ is formatted', { skip }, async () => {
  await must(await clangFormat(), ['--dry-run', '--Werror', ...files]);
});

test(`native/ has at most ${LINES_MAX} lines of C besides compile.c`, async () => {
  const host = files.filter((file) => !file.endsWith('/compile.c'));
  const counts = await Promise.all(host.map(async (file) => (await readFile(file, 'utf8')).split('\n').length - 1));
  const sum = counts.reduce((one, other) => one + other, 0);
  assert.ok(sum <= LINES_MAX, `${sum} lines in ${host.length} files`);
});
