import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { logOpener } from '../../../src/logship/read/open-log.ts';
import { LEAD_BYTES, Trail } from '../../../src/logship/position/trail.ts';
import { startReclaiming } from '../../../src/logship/reclaim/index.ts';
import type { Punch } from '../../../src/logship/reclaim/hole-punch.ts';
import { findPunch } from '../../../src/logship/reclaim/punch.ts';
import { givenBack, Reclaimer, type Acknowledged } from '../../../src/logship/reclaim/reclaimer.ts';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { Holes, openHoles } from '../../../src/logship/state/holes.ts';
import type { Capability } from '../../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { until } from '../../support/until.ts';
import { log } from '../said.ts';

const MB = 1024 * 1024;
const LINE = `${'x'.repeat(1023)}\n`;
const KEEP = MB;

/** Tested by punching a hole. */
const canPunch: Capability = async () => {
  const found = findPunch();
  if ('reason' in found) return found.reason;
  await using w = await world();
  await w.reclaimer.pass(new AbortController().signal);
  return w.reclaimer.bytes > 0 ? undefined : `no holes can be made in ${w.file}: ${w.said.join(' ')}`;
};

/** A log of 8 MiB, of which each destination has acknowledged a part. */
async function world(acknowledged: readonly number[] = [6 * MB], punch?: Punch) {
  const directory = await privateDirectory('reclaim', inMemory());
  const file = join(directory.path, 'keystone.log');
  await writeFile(file, LINE.repeat((8 * MB) / LINE.length));
  const shipped = readFileSync(file);
  const generation = { path: file, ino: statSync(file).ino, head: shipped.subarray(0, 256) };
  const saved = (offset: number): Acknowledged => {
    const trail = new Trail();
    trail.start(offset, shipped.subarray(offset - LEAD_BYTES, offset));
    return { generation, mark: { offset }, trail: trail.at({ offset, skipping: false, timeMs: 0 }) };
  };
  const marks = { now: acknowledged };
  const said: string[] = [];
  const state = join(directory.path, '.state');
  await mkdir(state);
  const holes = new Holes(new StateDirectory(state), []);
  const found = findPunch();
  const reclaimer = new Reclaimer({
    punch: punch ?? ('punch' in found ? found.punch : assert.fail(found.reason)),
    saved: () => marks.now.map((offset) => [saved(offset)]),
    keepBytes: KEEP,
    open: logOpener({ patterns: [join(directory.path, '*')] }),
    holes,
    log: log(said),
  });
  return {
    ...directory,
    directory: directory.path,
    file,
    state,
    holes,
    generation,
    said,
    reclaimer,
    marks,
    saved,
    signal: new AbortController().signal,
  };
}

const skip = (await canPunch()) ?? false;
const blocks = (file: string) => statSync(file).blocks * 512;

test('acknowledged bytes are reclaimed; size, offsets and all other bytes stay', { skip }, async () => {
  await using w = await world();
  const before = readFileSync(w.file);
  await w.reclaimer.pass(w.signal);
  const after = readFileSync(w.file);
  assert.equal(w.reclaimer.bytes, 5 * MB - 65_536);
  assert.equal(blocks(w.file), 3 * MB + 65_536);
  assert.ok(before.subarray(0, 65_536).equals(after.subarray(0, 65_536)));
  assert.ok(after.subarray(65_536, 5 * MB).every((byte) => byte === 0));
  assert.ok(before.subarray(5 * MB).equals(after.subarray(5 * MB)));
});

test('a hole is in the record on disk before it is punched', async () => {
  const recorded: unknown[] = [];
  const punch: Punch = async () => {
    const { holes } = JSON.parse(readFileSync(join(w.state, 'reclaimed.json'), 'utf8')) as { holes: object[] };
    recorded.push(...holes);
    return undefined;
  };
  await using w = await world([6 * MB], punch);
  await w.reclaimer.pass(w.signal);
  assert.partialDeepStrictEqual(recorded, [{ path: w.file, start: 65_536, end: 5 * MB }]);
  const later = await openHoles(new StateDirectory(w.state), log());
  assert.deepEqual([later.of(w.generation), later.isComplete], [{ ...(recorded[0] as object) }, true]);
  assert.equal(later.of({ ...w.generation, head: Buffer.from('other') }), undefined);
});

test('a full volume that cannot take the record is reclaimed, and the record written then', async () => {
  const calls: string[] = [];
  let isFull = true;
  const punch: Punch = () => {
    isFull = false;
    calls.push('punched');
    return Promise.resolve(undefined);
  };
  await using w = await world([6 * MB], punch);
  const holes = {
    add() {
      calls.push(isFull ? 'full' : 'recorded');
      return isFull ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : Promise.resolve();
    },
  };
  const open = logOpener({ patterns: [w.file] });
  const saved = () => [[w.saved(6 * MB)]];
  await new Reclaimer({ punch, saved, keepBytes: KEEP, open, holes, log: log(w.said) }).pass(w.signal);
  assert.deepEqual(calls, ['full', 'punched', 'recorded']);
});

test('only bytes acknowledged by every destination are reclaimed', { skip }, async () => {
  await using w = await world([6 * MB, 3 * MB]);
  await w.reclaimer.pass(w.signal);
  assert.equal(w.reclaimer.bytes, 2 * MB - 65_536);
  w.marks.now = [6 * MB, 5 * MB];
  await w.reclaimer.pass(w.signal);
  assert.equal(w.reclaimer.bytes, 4 * MB - 65_536);
});

test('bytes unknown to a destination are not reclaimed', async () => {
  await using w = await world([6 * MB], () => assert.fail('was asked for'));
  const reclaimer = new Reclaimer({
    punch: () => assert.fail('was asked for'),
    saved: () => [[w.saved(6 * MB)], []],
    keepBytes: 0,
    open: logOpener({ patterns: [w.file] }),
    holes: w.holes,
    log: log(),
  });
  await reclaimer.pass(w.signal);
});

for (const [what, change] of [
  [
    'a file that replaced the shipped one',
    async (file: string) => {
      renameSync(file, `${file}.1`);
      await writeFile(file, 'y'.repeat(8 * MB));
    },
  ],
  ['a rewritten file', (file: string) => writeFile(file, 'y'.repeat(8 * MB))],
  ['a rewritten file with the same first lines', (file: string) => writeFile(file, `${LINE}${'y'.repeat(8 * MB)}`)],
  ['a truncated file', (file: string) => writeFile(file, LINE)],
  [
    'a file that was cut and has grown to other lines of the same length',
    (file: string) => writeFile(file, `${LINE.repeat(1024)}${LINE.replaceAll('x', 'y').repeat(7 * 1024)}`),
  ],
  ['a renamed file', (file: string) => Promise.resolve(renameSync(file, `${file}.1`))],
] as const) {
  test(`${what} is not changed`, async () => {
    await using w = await world([6 * MB], () => assert.fail('was asked for'));
    await change(w.file);
    await w.reclaimer.pass(w.signal);
    assert.deepEqual(w.said, []);
  });
}

test('a file system without hole punching is logged once, with the fix, and not retried', async () => {
  let asked = 0;
  const punch: Punch = () => {
    asked++;
    return Promise.resolve({ isHere: false, reason: 'keep size mode is unsupported' });
  };
  await using w = await world([6 * MB], punch);
  await w.reclaimer.pass(w.signal);
  await w.reclaimer.pass(w.signal);
  assert.equal(asked, 1);
  assert.match(
    w.said.join('\n'),
    /^acknowledged bytes can't be reclaimed: keep size.*--reclaim off and a sufficient sizeLimit[^\n]*$/,
  );
});

test("recognizes fallocate's error on a file system without hole punching", { skip }, async () => {
  await using w = await world();
  const found = findPunch();
  assert.ok('punch' in found);
  const fd = openSync('/proc/self/comm', 'r');
  const refusal = await found.punch(fd, { start: 0, end: 4096 }, w.signal);
  closeSync(fd);
  assert.deepEqual(refusal, { isHere: false, reason: refusal?.reason });
  assert.match(refusal.reason, /unsupported|not supported/);
});

test('an unwritable file is logged once', async () => {
  let asked = 0;
  const punch: Punch = () => {
    asked++;
    return Promise.resolve({ isHere: true, reason: 'cannot open: Permission denied' });
  };
  await using w = await world([6 * MB], punch);
  await w.reclaimer.pass(w.signal);
  await w.reclaimer.pass(w.signal);
  assert.equal(asked, 1);
  assert.match(
    w.said.join('\n'),
    /^acknowledged bytes of .*keystone\.log .*Permission denied; mount the volume read-write[^\n]*$/,
  );
});

test('a range excludes the start, the last bytes and the byte before the mark', () => {
  assert.deepEqual(givenBack(10 * MB + 5, 0, MB), { start: 65_536, end: 9 * MB });
  assert.deepEqual(givenBack(10 * MB, 0, 0), { start: 65_536, end: 10 * MB - 4096 });
  assert.equal(givenBack(2 * MB, 0, MB), undefined);
  assert.equal(givenBack(10 * MB, 9 * MB, MB), undefined);
  assert.deepEqual(givenBack(11 * MB, 9 * MB, MB), { start: 9 * MB, end: 10 * MB });
});

test('acknowledged bytes are reclaimed periodically, and once more on shutdown', { skip }, async () => {
  await using w = await world([4 * MB]);
  const saved = () => w.marks.now.map((offset) => [w.saved(offset)]);
  const open = logOpener({ patterns: [join(w.directory, '*')] });
  const options = {
    mode: 'on',
    root: w.directory,
    keepBytes: KEEP,
    saved,
    log: log(w.said),
    open,
    holes: w.holes,
    everyMs: 20,
  } as const;
  const reclaiming = startReclaiming(options);
  assert.ok(reclaiming);
  await until('the first bytes', () => Promise.resolve(reclaiming.bytes() > 0 ? true : undefined));
  w.marks.now = [6 * MB];
  await reclaiming[Symbol.asyncDispose]();
  assert.equal(blocks(w.file), 3 * MB + 65_536);
});

test('a failure to reclaim is logged, and stops nothing else', async () => {
  const said: string[] = [];
  const saved = () => {
    throw new Error('oh');
  };
  const open = logOpener({ patterns: ['/*'] });
  const holes = { add: () => Promise.resolve() };
  const options = { mode: 'on', root: '/', keepBytes: KEEP, saved, holes, log: log(said), open, everyMs: 1 } as const;
  await using _ = startReclaiming(options);
  if (said.some((line) => line.includes('is reclaimed')))
    await until('the word', () => Promise.resolve(said.join().includes('our bug, please report it: oh') || undefined));
});

test('auto is off on a disk that outlives the Pod, and on for a volume in memory', async () => {
  await using disk = await privateDirectory('reclaim');
  const options = {
    mode: 'auto',
    keepBytes: KEEP,
    saved: () => [],
    holes: { add: () => Promise.resolve() },
    log: log(),
    open: logOpener({ patterns: [] }),
  } as const;
  if (!existsSync('/dev/shm') || inMemory() !== '/dev/shm') return;
  const inShm = startReclaiming({ ...options, root: '/dev/shm' });
  assert.equal(inShm !== undefined, 'punch' in findPunch());
  await inShm?.[Symbol.asyncDispose]();
  const there = startReclaiming({ ...options, root: join(disk.path, 'absent') });
  assert.equal(there, undefined);
});
