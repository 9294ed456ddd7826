import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModel } from './model.ts';

const STEPS = 80;

for (let seed = 1; seed <= 100; seed++) {
  test(`random writes, rotations, stops and kills lose and duplicate no line: seed ${seed}`, async (t) => {
    const { written, lost, doubled, collided, history } = await runModel(seed, STEPS);
    t.diagnostic(`${written} lines, ${lost.length} lost, ${doubled.length} doubled`);
    assert.deepEqual({ lost, doubled, collided }, { lost: [], doubled: [], collided: [] }, history.join(' '));
  });
}

for (let seed = 1; seed <= 100; seed++) {
  test(`the same with a handle for one of three files: seed ${seed}`, async () => {
    const { lost, doubled, collided, history } = await runModel(seed, STEPS, true);
    assert.deepEqual({ lost, doubled, collided }, { lost: [], doubled: [], collided: [] }, history.join(' '));
  });
}
