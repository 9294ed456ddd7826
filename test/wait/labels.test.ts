import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from '../../src/wait/dependency/demand.ts';

for (const [requirements, expected] of [
  [['app=x'], true],
  [['app=y'], false],
  [['app!=y'], true],
  [['app!=x'], false],
  [['none!=x'], true],
  [['app'], true],
  [['none'], false],
  [['!none'], true],
  [['!app'], false],
  [['app=x', 'tier=db'], true],
  [['app=x', '!tier'], false],
  [['constructor'], false],
  [['empty='], true],
] as const) {
  test(`labels app=x,tier=db,empty= ${expected ? 'have' : 'do not have'} ${requirements.join(',')}`, () => {
    assert.equal(matches(requirements, { app: 'x', tier: 'db', empty: '' }), expected);
  });
}

for (const labels of [undefined, null]) {
  test(`labels that are ${labels} match only a negated requirement`, () => {
    assert.equal(matches(['app'], labels), false);
    assert.equal(matches(['!app'], labels), true);
  });
}
