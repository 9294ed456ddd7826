import { tests, type Point } from './point.ts';

const read = (file: string, names?: string) => tests(`test/logship/read/${file}.test.ts`, names);
const PASSED = /ℹ pass [1-9]\d*\nℹ fail 0/;

/** What may happen to a file before its lines are read. */
export const LOG_SHIP_TAIL: readonly Point[] = [
  {
    point:
      'found: globs, new folders and files within a second, excludes, 500 files; never its own state or what is compressed',
    command: read('discover'),
    match: PASSED,
  },
  {
    point: 'chokidar only wakes it up: that no watch is left is said once, and polling goes on',
    command: read('wake'),
    match: PASSED,
  },
  {
    point:
      'renames, several between looks, copytruncate, truncate and regrow, delete and recreate, a writer that keeps the old file, split characters, NUL, CRLF: all lines once',
    command: read('cases', '^our reader'),
    match: /ℹ pass 21\nℹ fail 0/,
  },
  {
    point: 'the same table over tail-file: what it loses, by name',
    command: read('cases', '^tail-file fails'),
    match: /ℹ pass 7\nℹ fail 0/,
  },
  {
    point:
      'copytruncate live and while away: the unread tail comes from FILE.1; where that is compressed, it is counted and said',
    command: read('rotation'),
    match: PASSED,
  },
  {
    point:
      'lines over the cap are cut at a character and counted, also over a restart in their middle; 10 MB lines are whole below it',
    command: read('follow', 'cap|longer than any buffer|ten megabyte'),
    match: /ℹ pass 3\nℹ fail 0/,
  },
  {
    point: 'ids do not depend on when we looked; equal first lines are told apart as far as their bytes differ',
    command: read('generation'),
    match: PASSED,
  },
  {
    point:
      'the checkpoint holds only the acknowledged mark, atomically; a damaged one is set aside, what cannot be written is said',
    command: tests('test/logship/state/checkpoint.test.ts test/logship/read/progress.test.ts'),
    match: PASSED,
  },
  {
    point: 'writes, rotations, stops and kills by chance, judged as an index would: 100 seeds, 0 lost, 0 doubled',
    command: read('model'),
    match: /ℹ pass 100\nℹ fail 0/,
  },
];
