import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withVerdicts } from '../../src/operator/api/conditions.ts';

const [THEN, NOW] = [new Date('2026-01-01T00:00:00.5Z'), new Date('2026-02-02T00:00:00.5Z')];

test('lastTransitionTime changes with the status only, and a condition that was not observed stays', () => {
  const ready = { status: 'False', reason: 'Installing', message: 'a' } as const;
  const degraded = { status: 'False', reason: 'AsExpected', message: '' } as const;
  const before = withVerdicts(undefined, { Ready: ready, Degraded: degraded }, 1, THEN);
  const same = withVerdicts(before, { Ready: { ...ready, reason: 'RollingOut', message: 'b' } }, 2, NOW);
  assert.deepEqual(
    same.map(({ type, reason, lastTransitionTime, observedGeneration }) => [
      type,
      reason,
      lastTransitionTime,
      observedGeneration,
    ]),
    [
      ['Degraded', 'AsExpected', '2026-01-01T00:00:00Z', 1],
      ['Ready', 'RollingOut', '2026-01-01T00:00:00Z', 2],
    ],
  );
  const [, after] = withVerdicts(same, { Ready: { ...ready, status: 'True' } }, 2, NOW);
  assert.equal(after?.lastTransitionTime, '2026-02-02T00:00:00Z');
});
