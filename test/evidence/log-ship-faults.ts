import { tests, type Point } from './point.ts';

const faults = (file: string, names: string) => tests(`test/faults/${file}.test.ts`, names);
const real = (names: string) => tests('test/integration/kolla-log-ship.test.ts', names);

/** A row of the table that a run prints: nothing lost, nothing doubled, nothing torn. */
const once = (fault: string) => new RegExp(`\\| ${fault} \\|.*\\| 0 \\| 0 \\| 0 \\|$`);
const NO_FAILURE = /ℹ fail 0/;

/** What is lost and doubled when things fail: nothing. */
export const LOG_SHIP_FAULTS: readonly Point[] = [
  {
    point: '5 % of the items 429, of 20,000 numbered lines: 0 lost, 0 doubled',
    command: faults('server', '5 %'),
    match: once('5 % of the items 429'),
  },
  {
    point: 'poison 400s: all others are in, and each of them is a dead letter exactly once',
    command: faults('server', '400'),
    match: /\| items that are never taken \(400\) \| 20,000 \| 19,980 \| 19,980 \| 20 \| 0 \| 0 \| 0 \|/,
  },
  { point: '503 for a while', command: faults('server', 'for a while'), match: once('503 for a while') },
  {
    point: '503, then SIGTERM and restart',
    command: faults('server', '503, SIGTERM'),
    match: once('503, SIGTERM, started again'),
  },
  {
    point: '503, then SIGKILL and restart',
    command: faults('server', '503, SIGKILL'),
    match: once('503, SIGKILL, started again'),
  },
  {
    point: 'SIGKILL at random under full flow, 10 times (100 times in make soak)',
    command: faults('process', 'SIGKILL at random'),
    match: once('SIGKILL at random in full flow'),
  },
  {
    point: 'several workers’ tracebacks between each other, under SIGKILL: each one document, whole, once',
    command: faults('process', 'tracebacks'),
    match: once('workers’ tracebacks between each other, under SIGKILL'),
  },
  {
    point: 'each rotation kind under full flow, and while the shipper or the server was away',
    command: faults('rotation', '.'),
    match: NO_FAILURE,
  },
  {
    point: 'real Elasticsearch: the flood stage’s block set and lifted; counted by query',
    command: real('flood stage'),
    match: once('Elasticsearch: the block of the flood stage, set and lifted'),
  },
  {
    point: 'real Elasticsearch: a write queue of 1; counted by query',
    command: real('write queue'),
    match: once('Elasticsearch: a write queue of 1'),
  },
  {
    point: 'real Elasticsearch: SIGKILL at random under full flow; counted by query',
    command: real('SIGKILL at random'),
    match: once('Elasticsearch: SIGKILL at random in full flow'),
  },
  {
    point: 'wrong password, then the right one, without a restart',
    command: faults('server', 'password'),
    match: once('a wrong password, then the right one'),
  },
  {
    point: 'connections cut in mid-request and in mid-reply',
    command: faults('server', 'cut in'),
    match: once('connections cut in mid-reply'),
  },
  {
    point: 'the checkpoint’s disk full, a kill, and room again',
    command: faults('process', 'checkpoint’s disk'),
    match: once('the checkpoint’s disk full, SIGKILL, and room again'),
  },
  {
    point: 'the clock an hour back and forth',
    command: faults('process', 'clock'),
    match: once('the clock an hour back and forth, over and over, and SIGKILL'),
  },
  {
    point: 'dead letters on a full disk; ten kills among them: none is lost, none is there twice',
    command: faults('process', 'dead letters|400'),
    match: NO_FAILURE,
  },
  {
    point: 'of two destinations one is away, and the shipper is killed: both have all in the end',
    command: faults('destinations', '.'),
    match: once('two destinations, the one that was away'),
  },
  {
    point: '--reclaim under SIGKILL, with copytruncate, and after the checkpoint is gone',
    command: faults('options', 'reclaim'),
    match: NO_FAILURE,
  },
  {
    point:
      '500 files under kolla-sidecar, a new one that lives three seconds, and lines that come last before the stop',
    command: tests('test/integration/kolla-log-ship-files.test.ts'),
    match: once('500 files'),
  },
  {
    point: 'all faults at once for ten minutes, and 100 kills (`make soak`)',
    command: 'cat docs/evidence/soak-log-ship.md',
    match: once('all at once'),
  },
  {
    point: 'controls: without checkpoint and source id, or with ids ignored, the same runs report doubles',
    command: faults('process', 'control'),
    match: NO_FAILURE,
  },
  {
    point: 'without a checkpoint, the source id given, nothing doubles',
    command: faults('process', 'no checkpoint at any start'),
    match: once('no checkpoint at any start, the source id given'),
  },
];
