import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { residentBytes } from '../../src/process/resident.ts';

test('the resident memory of a process is known until it has exited', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  assert.ok((residentBytes(child.pid ?? 0) ?? 0) > 0);
  assert.ok((residentBytes(process.pid) ?? 0) > 2 ** 24);
  child.stdin.end();
  await once(child, 'exit');
  assert.equal(residentBytes(child.pid ?? 0), undefined);
});
