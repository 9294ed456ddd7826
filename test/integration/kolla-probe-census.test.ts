import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canHoldCensus, holdCensus, type Row } from '../../bench/census/index.ts';
import { allProbes } from '../../src/catalog/index.ts';

const skip = (await canHoldCensus()) ?? false;
const rows = skip === false ? await holdCensus() : [];

test("every container of kolla-ansible's census is checked", { skip }, () => {
  assert.equal(rows.length, 111);
  assert.deepEqual(
    rows.map(({ container }) => container),
    allProbes().map(({ container }) => container),
  );
});

for (const row of rows) {
  describe(row.container, { skip: row.skipped ?? false }, () => {
    test(`serving (${row.well?.state}): healthy by every check`, () => {
      for (const [who, answer] of answersOf(row.well)) assert.ok(answer.healthy, `${who}: ${answer.reason}`);
    });
    test(`not serving (${row.unwell?.state}): unhealthy, with a reason`, () => {
      const { declared, readiness } = row.unwell!;
      for (const answer of [readiness, ...(declared === undefined ? [] : [declared])]) {
        assert.ok(!answer.healthy);
        assert.notEqual(answer.reason, '');
      }
    });
    test('kolla-core gives the same result and reason', () => {
      for (const seen of [row.well, row.unwell])
        for (const { healthy, reason, onCore } of [seen!.readiness, seen!.liveness]) {
          if (onCore === undefined) continue;
          assert.equal(onCore.healthy, healthy, `${reason}; kolla-core: ${onCore.reason}`);
          // All other processes are children of the census, and siblings of kolla-core.
          const known = withoutAge(reason.replace(/ to be seen from this container.*/, ''));
          if (!healthy) assert.ok(withoutAge(onCore.reason).endsWith(known), `${reason}; kolla-core: ${onCore.reason}`);
        }
    });
    test('liveness fails only if a restart helps', () => {
      assert.equal(row.unwell?.liveness.healthy, !row.isDead);
    });
  });
}

function answersOf(seen: Row['well']): [string, { healthy: boolean; reason: string }][] {
  assert.ok(seen);
  const { declared, readiness, liveness } = seen;
  return [
    ['readiness', readiness],
    ['liveness', liveness],
    ...(declared === undefined ? [] : [['declared', declared] satisfies [string, typeof declared]]),
  ];
}

/** A reason without how long ago something was: the engines are asked one after the other. */
function withoutAge(reason: string): string {
  return reason.replaceAll(/\b[\dhms.]+ ago\b/g, 'some time ago');
}
