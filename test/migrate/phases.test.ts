import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../src/core/errors.ts';
import { isBehind, stepsOf } from '../../src/migrate/plan/phases.ts';
import { isLastBeforeRollout, PHASES, serviceNamed } from '../../src/catalog/index.ts';

function stepsOfService(name: string, phase: (typeof PHASES)[number]): string[] {
  const service = serviceNamed(name);
  assert.ok(service);
  return stepsOf(service, phase).map(({ argv }) => argv.join(' '));
}

test("a phase's steps are the service's own", () => {
  assert.deepEqual(stepsOfService('keystone', 'contract'), ['keystone-manage db_sync --contract']);
});

test('a service with phases skips one that it lacks', () => {
  assert.deepEqual(stepsOfService('cinder', 'migrate'), []);
});

test('a phase of a single-step migration is rejected', () => {
  assert.throws(() => stepsOfService('heat', 'expand'), UsageError);
});

test("the check's next phase is pending, and earlier ones are done", () => {
  assert.deepEqual(
    PHASES.filter((phase) => isBehind(phase, 'migrate')),
    ['expand'],
  );
});

test('a complete schema leaves only online migrations', () => {
  assert.deepEqual(
    PHASES.filter((phase) => isBehind(phase, 'complete')),
    ['all', 'expand', 'migrate', 'contract'],
  );
});

test('a check that cannot tell, or exits with an unknown code, leaves everything pending', () => {
  for (const answer of ['error', undefined] as const)
    assert.deepEqual(
      PHASES.filter((phase) => isBehind(phase, answer)),
      [],
    );
});

for (const [name, last] of [
  ['keystone', ['migrate']],
  ['neutron', ['expand']],
] as const) {
  test(`code of ${name} may start after the phases all and ${last.join()}, and after a given command`, () => {
    const service = serviceNamed(name);
    assert.ok(service);
    const words = [...PHASES, 'command' as const].filter((word) => isLastBeforeRollout(service, word));
    assert.deepEqual(words, ['all', ...last, 'command']);
  });
}
