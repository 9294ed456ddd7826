import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Handles, mostHandles, STAKE, type Lender } from '../../../src/logship/read/handles.ts';
import { log, reading, type Reading } from './reading.ts';

/** A log file and one that has taken the only handle since. */
async function withClosed(): Promise<Reading> {
  const r = await reading({ openFiles: 2 });
  writeFileSync(r.path('a.log'), 'one\ntwo\n');
  writeFileSync(r.path('b.log'), 'other\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two', 'other']);
  assert.deepEqual(openIn(r), [r.path('b.log')]);
  return r;
}

/** The logs that this process has open. */
function openIn(r: Reading): readonly string[] {
  const links = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return []; // that of the listing itself
    }
  });
  return links.filter((each) => each.startsWith(r.directory) && each.endsWith('.log'));
}

const linesOfA = (r: Reading) => r.lines.filter((line) => line !== 'other');

const rotations: Readonly<Record<string, (r: Reading) => void>> = {
  'was renamed': (r) => renameSync(r.path('a.log'), r.path('a.log.1')),
  'was renamed twice': (r) => {
    renameSync(r.path('a.log'), r.path('a.log.1'));
    renameSync(r.path('a.log.1'), r.path('a.log.2'));
  },
  'was copied and truncated': (r) => {
    copyFileSync(r.path('a.log'), r.path('a.log.1'));
    truncateSync(r.path('a.log'));
  },
  'was copied and removed': (r) => {
    copyFileSync(r.path('a.log'), r.path('a.log.1'));
    rmSync(r.path('a.log'));
  },
};

for (const [what, rotate] of Object.entries(rotations))
  test(`a file that ${what} while it was closed is read to its end, and so is its successor`, async () => {
    await using r = await withClosed();
    appendFileSync(r.path('a.log'), 'three\n');
    rotate(r);
    appendFileSync(r.path('a.log'), 'four\n');
    await r.poll();
    appendFileSync(r.path('b.log'), 'other\n');
    await r.poll();
    appendFileSync(r.path('a.log'), 'five\n');
    await r.poll();
    assert.deepEqual(linesOfA(r), ['one', 'two', 'three', 'four', 'five']);
    assert.equal(new Set(r.ids).size, r.lines.length);
    assert.equal(r.counts.lostBytes, 0);
  });

test('a rotated file that is closed is read on while a process still writes to it', async () => {
  await using r = await withClosed();
  renameSync(r.path('a.log'), r.path('a.log.1'));
  await r.poll();
  appendFileSync(r.path('b.log'), 'other\n');
  await r.poll();
  appendFileSync(r.path('a.log.1'), 'late\n');
  await r.poll();
  assert.deepEqual(linesOfA(r), ['one', 'two', 'late']);
});

test('a file that is renamed back after it was closed continues', async () => {
  await using r = await withClosed();
  renameSync(r.path('a.log'), r.path('aside'));
  writeFileSync(r.path('a.log'), 'other\n');
  await r.poll();
  renameSync(r.path('a.log'), r.path('a.log.1'));
  await r.poll();
  renameSync(r.path('a.log.1'), r.path('a.log'));
  appendFileSync(r.path('b.log'), 'other\n');
  await r.poll();
  appendFileSync(r.path('a.log'), 'three\n');
  await r.poll();
  assert.deepEqual(linesOfA(r), ['one', 'two', 'three']);
});

/** Lets the reader see lines that it has no room to read. */
async function withUnread(): Promise<Reading> {
  const r = await withClosed();
  r.pace = () => Promise.resolve(false);
  appendFileSync(r.path('a.log'), 'lost\n');
  await r.poll();
  return r;
}

const removals: readonly (readonly [string, (r: Reading) => void, RegExp])[] = [
  ['was removed', (r) => rmSync(r.path('a.log')), /there is no copy next to it: 5 bytes are lost$/],
  [
    'was compressed',
    (r) => {
      writeFileSync(r.path('a.log.1.gz'), gzipSync('one\ntwo\nlost\n'));
      rmSync(r.path('a.log'));
    },
    /a\.log\.1\.gz is compressed already: 5 bytes are lost$/,
  ],
];

for (const [what, remove, text] of removals)
  test(`unread bytes of a file that ${what} while it was closed are counted and named`, async () => {
    await using r = await withUnread();
    remove(r);
    r.pace = () => Promise.resolve(true);
    await r.poll();
    await r.poll();
    const said = r.said.filter((msg) => msg.includes('a.log was removed while it was closed, after byte 8,'));
    assert.equal(said.length, 1, r.said.join('\n'));
    assert.match(said[0]!, text);
    assert.equal(r.counts.lostBytes, 5);
    assert.equal(existsSync(r.path('a.log')), false);
  });

test('a file that was read to its end and removed while it was closed is no loss', async () => {
  await using r = await withClosed();
  rmSync(r.path('a.log'));
  await r.poll();
  writeFileSync(r.path('a.log'), 'three\n');
  await r.poll();
  assert.deepEqual(linesOfA(r), ['one', 'two', 'three']);
  assert.equal(r.counts.lostBytes, 0);
});

test('says once that handles are short, and which limit to raise', async () => {
  await using r = await reading({ openFiles: 600 });
  for (let n = 0; n < 500; n++) writeFileSync(r.path(`${n}.log`), `${n}\n`);
  for (let n = 0; n < 3; n++) await r.poll();
  const said = r.said.filter((msg) => /Raise/.test(msg));
  assert.deepEqual(said, [
    '500 log files are read in turns, because only 472 of the 600 of RLIMIT_NOFILE can be open at once: unread lines of a ' +
      'file that is removed while it is closed are lost. Raise the hard limit of open files to 628',
  ]);
  assert.equal(r.lines.length, 500);
});

test('resumes each of many closed files after a restart', async () => {
  await using r = await reading({ openFiles: 20 });
  const names = Array.from({ length: 100 }, (_, n) => `${n}.log`);
  for (const name of names) writeFileSync(r.path(name), `first of ${name}\n`);
  await r.poll();
  for (const name of names) appendFileSync(r.path(name), `second of ${name}\n`);
  await r.restart();
  await r.poll();
  assert.deepEqual(r.lines.toSorted(), names.flatMap((name) => [`first of ${name}`, `second of ${name}`]).toSorted());
});

/** A file that records whether it is open. */
class Fake implements Lender {
  readonly stake: number;
  isOpen = true;

  constructor(stake: number) {
    this.stake = stake;
  }

  lend(): void {
    this.isOpen = false;
  }
}

function opened(limit: number, ...stakes: readonly number[]) {
  const handles = new Handles({ limit, log: log() });
  const files = stakes.map((stake) => new Fake(stake));
  for (const file of files) handles.use(file);
  return { handles, files, open: () => files.map(({ isOpen }) => isOpen) };
}

test('closes what has least to lose, then what was read longest ago', () => {
  const { nothing, laterLines, unreadLines, unreadRotatedLines, all } = STAKE;
  assert.deepEqual(opened(4, unreadRotatedLines, laterLines, unreadLines, all).open(), [true, false, false, true]);
  const { handles, files, open } = opened(4, nothing, nothing, nothing);
  assert.deepEqual(open(), [false, true, true]);
  handles.use(files[1]!);
  handles.use(files[0]!);
  assert.deepEqual(open(), [false, true, false]);
});

test('never closes a file that has no name any more', () => {
  assert.deepEqual(opened(4, STAKE.all, STAKE.all, STAKE.all).open(), [true, true, true]);
});

for (const code of ['EMFILE', 'ENFILE'])
  test(`closes log files when the system refuses a descriptor with ${code}, and keeps fewer`, () => {
    const { handles, open } = opened(1000, ...Array.from({ length: 16 }, () => STAKE.nothing));
    const free = () => open().filter((each) => !each).length;
    const result = handles.open(() => {
      if (free() === 0) throw Object.assign(new Error(code), { code, syscall: 'open' });
      return 'opened';
    });
    assert.equal(result, 'opened');
    assert.equal(free(), 2);
    handles.use(new Fake(STAKE.unreadLines));
    assert.equal(free(), 3);
  });

test('leaves descriptors for sockets and the checkpoint', () => {
  assert.deepEqual([64, 256, 1024, 20_000, 1_048_576].map(mostHandles), [32, 128, 896, 17_500, 917_504]);
});
