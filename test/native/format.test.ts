/** Checks the formatting of native/ with clang-format, and its size limit. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../tools/process.ts';
import { canFormatC, clangFormat } from '../cluster/clang-format.ts';

const NATIVE = join(import.meta.dirname, '../../native');
/** Code that runs as root must be short enough for a complete review. No name that sudo may raise has the other files' calls. */
const LINES_MAX = 700;
const UNPRIVILEGED = /^(?:compile|deflate|digest|heap|inotify|network|sockets|tls|log(?:-\w+)?)\.[ch]$/;

const files = (await readdir(NATIVE)).filter((name) => /\.[ch]$/.test(name)).map((name) => join(NATIVE, name));
const skip = (await canFormatC()) ?? false;

test('native/ is formatted', { skip }, async () => {
  await must(await clangFormat(), ['--dry-run', '--Werror', ...files]);
});

test(`native/ has at most ${LINES_MAX} lines of C that run as root`, async () => {
  const host = files.filter((file) => !UNPRIVILEGED.test(basename(file)));
  const counts = await Promise.all(host.map(async (file) => (await readFile(file, 'utf8')).split('\n').length - 1));
  const sum = counts.reduce((one, other) => one + other, 0);
  assert.ok(sum <= LINES_MAX, `${sum} lines in ${host.length} files`);
});
