import { together, type WaitState } from '../../../src/wait/dependency/verdict.ts';
import { judged } from './judged.ts';

const yes: WaitState = { is: 'met', state: 'ok' };
const no: WaitState = { is: 'pending', state: 'not yet' };
const out: WaitState = { is: 'skipped', state: 'suspended' };
const dead: WaitState = { is: 'failed', state: 'failed: x' };
judged('a set', [
  [
    'whose members are all ready',
    together(
      [
        ['a', yes],
        ['b', yes],
      ],
      'all',
    ),
    'met',
    '2 of 2',
  ],
  [
    'with one member not ready, if all are required',
    together(
      [
        ['a', yes],
        ['b', no],
      ],
      'all',
    ),
    'pending',
    '1 of 2; b: not yet',
  ],
  [
    'with one member ready, if one suffices',
    together(
      [
        ['a', no],
        ['b', yes],
      ],
      'any',
    ),
    'met',
    'b: ok',
  ],
  [
    'with members that do not count',
    together(
      [
        ['a', yes],
        ['b', out],
      ],
      'all',
    ),
    'met',
    '1 of 1',
  ],
  ['without a member that counts', together([['a', out]], 'all'), 'pending', 'none of 1 counts; a: suspended'],
  ['without members', together([], 'all'), 'pending', 'none of 0 counts'],
  [
    'with a failed member',
    together(
      [
        ['a', yes],
        ['b', dead],
      ],
      'all',
    ),
    'failed',
    'b failed: x',
  ],
]);
