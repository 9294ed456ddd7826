/** Checks native/ with the static analyzer of another compiler. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { analyzed, canCompileByGcc } from '../cluster/gcc.ts';

const ROOT = join(import.meta.dirname, '../..');
const skip = (await canCompileByGcc()) ?? false;

for (const file of globSync(join(ROOT, 'native/*.c')))
  test(`gcc's analyzer reports nothing for ${basename(file)}`, { skip }, async () => await analyzed(file, '/dev/null'));
