import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { kollaAccounts } from '../../src/config/volumes/kolla-accounts.ts';
import { must } from '../../tools/process.ts';
import { canHaveKolla, kollaPackage, LATEST_KOLLA_VERSION } from './kolla-package.ts';

const skip = (await canHaveKolla()) ?? false;

/** Prints every user in Kolla's own table with its IDs and the name of its group. */
const PRINT = `
import json, runpy, sys
users = runpy.run_path(sys.argv[1])['USERS']
print(json.dumps([[name.removesuffix('-user'), u['uid'], u['gid'], u.get('group')] for name, u in users.items()]))
`;

test("users and groups equal Kolla's", { skip }, async () => {
  const file = join(await kollaPackage(LATEST_KOLLA_VERSION), '../common/users.py');
  const rows = JSON.parse(await must('python3', ['-c', PRINT, file])) as [string, number, number, string | null][];
  assert.ok(rows.length > 50);
  const { users, groups } = kollaAccounts();
  assert.deepEqual(new Map([['root', 0], ...rows.map(([name, uid]) => [name, uid] as const)]), users);
  const named = rows.map(([name, , gid, group]) => [group ?? name, gid] as const);
  assert.deepEqual(new Map([['root', 0], ...named]), groups);
});
