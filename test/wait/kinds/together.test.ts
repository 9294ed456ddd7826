import { together, type Verdict } from '../../../src/wait/verdict.ts';
import { judged } from './judged.ts';

const yes: Verdict = { is: 'met', state: 'ok' };
const no: Verdict = { is: 'pending', state: 'not yet' };
const out: Verdict = { is: 'skipped', state: 'suspended' };
const dead: Verdict = { is: 'failed', state: 'failed: x' };
judged('a set', [
  [
    'of which all are met',
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
    'of which one is not, where all must be',
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
    'of which one is met, where that is enough',
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
    'of which some do not count',
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
  ['of which none counts', together([['a', out]], 'all'), 'pending', 'none of 1 counts; a: suspended'],
  ['of nothing', together([], 'all'), 'pending', 'none of 0 counts'],
  [
    'of which one has failed',
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
