import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminAt } from '../../../src/migrate/ensure/admin.ts';
import { placeOfTarget } from '../../../src/mysql/index.ts';

test("the admin's socket leads only to the server of the first database", () => {
  const admin = { host: 'db', port: 3306, user: 'root', password: '', database: 'nova_api', socket: '/run/mysql.sock' };
  const other = { host: 'db', port: 3306, user: 'nova', password: 'p', database: 'nova' };
  assert.equal(placeOfTarget(adminAt(admin, other)), '/run/mysql.sock');
  assert.equal(placeOfTarget(adminAt(admin, { ...other, host: 'cell1-db' })), 'cell1-db:3306');
});
