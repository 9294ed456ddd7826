import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../../src/wait/board.ts';

function boardAt(clock: { now: number }) {
  const changes: string[] = [];
  const teller = {
    begun: () => {},
    met: () => {},
    changed: ({ state }: { state: string }) => void changes.push(state),
  };
  return { board: new Board(teller, () => clock.now), changes };
}

test('a reason that is found later is reported, and the state lasts from when it was first seen', () => {
  const clock = { now: 0 };
  const { board, changes } = boardAt(clock);
  board.begin('job/a');
  clock.now = 1000;
  board.change('job/a', '1 active');
  clock.now = 6000;
  board.change('job/a', '1 active', 'no node for a-x7');
  clock.now = 9000;
  board.change('job/a', '1 active', 'no node for a-x7');
  assert.deepEqual(changes, ['1 active', '1 active; no node for a-x7']);
  assert.equal(board.stateOf('job/a'), '1 active; no node for a-x7, for 8s');
});

test('another state begins its own duration', () => {
  const clock = { now: 0 };
  const { board } = boardAt(clock);
  board.begin('job/a');
  board.change('job/a', '1 active', 'no node for a-x7');
  clock.now = 4000;
  board.change('job/a', '1 failed');
  clock.now = 5000;
  assert.equal(board.stateOf('job/a'), '1 failed, for 1s');
});
