import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneWay, serviceNamed } from '../../../src/catalog/index.ts';
import { requireWayBack } from '../../../src/migrate/turn/way-back.ts';
import { recordRows } from './rows.ts';

/** Whether a Job of 2025.2 may migrate. */
function refuses(phase: string, ...lines: readonly string[]): boolean {
  const service = 'keystone';
  const work = {
    service,
    release: '2025.2-ubuntu-noble',
    phase,
    isOneWay: (word: string) => isOneWay(serviceNamed(service), word),
  };
  try {
    requireWayBack(recordRows(...lines), work);
    return false;
  } catch (error) {
    assert.match(String(error), /contract of 2026\.1.* has begun, and 2025\.2-ubuntu-noble does not run on its schema/);
    return true;
  }
}

test('an older release does not migrate a schema that a newer one has begun to contract, by any phase', () => {
  for (const line of ['2026.1 contract running', '2026.1 online failed', '2026.1-ubuntu-noble all done'])
    for (const phase of ['all', 'expand', 'migrate', 'contract', 'online'])
      assert.equal(
        refuses(phase, '2025.2-ubuntu-noble all done', line, '2026.1 expand done'),
        true,
        `${phase}: ${line}`,
      );
});

test('it migrates if the newer one has only added to it, or cannot be compared, or after a restore', () => {
  assert.equal(refuses('expand', '2026.1 expand done', '2026.1 migrate done'), false);
  assert.equal(refuses('expand', 'main contract done'), false);
  assert.equal(refuses('expand', '2025.1 contract done'), false);
  assert.equal(refuses('expand', '2026.1 contract done', '2025.2 command done'), false);
  assert.equal(refuses('expand', '2026.1 contract done', '2025.2 command failed'), true);
});

test('other work under the lock is not refused', () => {
  assert.equal(refuses('tool:cells', '2026.1 contract done'), false);
});
