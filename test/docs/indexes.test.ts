import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { KOLLA_SERVICES } from '../../src/catalog/kolla-services.ts';
import { FORMATS } from '../../src/logship/formats/index.ts';
import { CHECKS } from '../../src/probe/checks/index.ts';
import { ANY, KINDS } from '../../src/wait/kinds/index.ts';

/** The files of services, waits, checks and formats: their exports with these keys belong into a list. */
const INDEXES = [
  { files: 'src/catalog/*.ts', keys: ['summary', 'migration'], list: Object.values(KOLLA_SERVICES) },
  { files: 'src/wait/kinds/*.ts', keys: ['form', 'word', 'make'], list: [...KINDS, ANY] },
  { files: 'src/probe/checks/*.ts', keys: ['word', 'prepare'], list: CHECKS },
  { files: 'src/logship/formats/*.ts', keys: ['files', 'table'], list: Object.values(FORMATS) },
] as const;

for (const { files, keys, list } of INDEXES)
  test(`whatever a file of ${files} exports is in its list`, async () => {
    const missing: string[] = [];
    let found = 0;
    for (const file of globSync(files))
      for (const [name, value] of Object.entries((await import(resolve(file))) as Record<string, unknown>)) {
        if (typeof value !== 'object' || value === null || !keys.every((key) => key in value)) continue;
        found++;
        if (!(list as readonly unknown[]).includes(value)) missing.push(`${name} of ${file}`);
      }
    assert.deepEqual(missing, []);
    assert.ok(found >= list.length - 1, 'one of them may have no file of its own');
  });
