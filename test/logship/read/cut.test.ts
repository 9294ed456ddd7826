import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { randomFrom } from '../../support/random.ts';
import { reading, type Reading } from './reading.ts';

const FILE = 'nova/nova-api.log';

/** Lines of one length, so that another line in their place has the same offset. */
const numbered = (from: number, to: number, what = 'n') =>
  Array.from({ length: to - from }, (_, n) => lineOf(`${what}${String(from + n).padStart(6, '0')}`));
const lineOf = (what: string) => `2026-11-27 10:00:00.000 7 INFO nova.api [-] ${what} ${'x'.repeat(40)}`;
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const bytes = (lines: readonly string[]) => Buffer.byteLength(text(lines));

/** What an index has that stores the first document of each ID. */
function indexed({ ids, lines }: Reading): readonly string[] {
  const documents = new Map<string, string>();
  for (const [n, id] of ids.entries()) if (!documents.has(id)) documents.set(id, lines[n]!);
  return [...documents.values()];
}

function assertIndexed(r: Reading, lines: readonly string[]): void {
  assert.deepEqual(indexed(r).toSorted(), lines.toSorted());
}

async function follow(): Promise<Reading> {
  const r = await reading({ patterns: ['nova/*.log'] });
  mkdirSync(r.path('nova'));
  return r;
}

/** A file of this many lines that were shipped, with checkpoints in between. */
async function shipped(lines: number, checkpoints = 1): Promise<Reading> {
  const r = await follow();
  for (let n = 0; n < checkpoints; n++) {
    append(r, numbered((n * lines) / checkpoints, ((n + 1) * lines) / checkpoints));
    await r.poll();
    await r.save();
  }
  return r;
}

/** Cuts the file, as a power failure does whose checkpoint was synced and whose log was not. */
const cut = (r: Reading, size: number) => truncateSync(r.path(FILE), size);
const append = (r: Reading, lines: readonly string[]) => appendFileSync(r.path(FILE), text(lines));

for (const when of ['while it was stopped', 'while it ran'])
  for (const checkpoints of [1, 10])
    test(`a file cut ${when}, after ${checkpoints} checkpoints: each line that it has had is indexed once`, async () => {
      for (const left of [0, 1, 3, 8, 12, 500, 999])
        for (const added of [0, 1, 20, 700, 2000]) {
          await using r = await shipped(1000, checkpoints);
          if (when === 'while it was stopped') await r.restart();
          cut(r, bytes(numbered(0, left)));
          append(r, numbered(0, added, 'm'));
          await r.poll();
          await r.restart();
          append(r, ['last']);
          await r.poll();
          assertIndexed(r, [...numbered(0, 1000), ...numbered(0, added, 'm'), 'last']);
          assert.equal(r.counts.lostBytes, 0, 'all of them were shipped');
        }
    });

test('a file cut within a line: the rest of it is part of the next line', async () => {
  await using r = await shipped(100);
  await r.restart();
  cut(r, bytes(numbered(0, 50)) + 20);
  append(r, numbered(0, 60, 'm'));
  await r.poll();
  const torn = `${numbered(50, 51)[0]!.slice(0, 20)}${numbered(0, 1, 'm')[0]}`;
  assertIndexed(r, [...numbered(0, 100), torn, ...numbered(1, 60, 'm')]);
});

for (const nuls of [1, 300, 4096, 70_000])
  test(`a file whose end became ${nuls} NULs: its lines are indexed once, and those after it too`, async () => {
    await using r = await shipped(1000, 4);
    await r.restart();
    const size = statSync(r.path(FILE)).size;
    cut(r, size - Math.min(nuls, 20_000));
    appendFileSync(r.path(FILE), Buffer.alloc(nuls));
    append(r, numbered(0, 3, 'm'));
    await r.poll();
    const torn = indexed(r).filter((line) => !numbered(0, 1000).includes(line) && !line.includes(' m'));
    assert.ok(torn.length <= 1, 'at most a torn line');
    assertIndexed(r, [...numbered(0, 1000), ...numbered(0, 3, 'm'), ...torn]);
    assert.equal(r.counts.nulBytes, nuls);
  });

test('reading resumes at the last checkpoint whose bytes are unchanged, and not at the start', async () => {
  await using r = await shipped(20_000, 40);
  await r.restart();
  cut(r, bytes(numbered(0, 19_200)));
  append(r, numbered(0, 1, 'm'));
  r.lines.length = r.ids.length = 0;
  await r.poll();
  assert.deepEqual(r.lines.slice(-201), [...numbered(19_000, 19_200), ...numbered(0, 1, 'm')]);
  assert.ok(r.lines.length < 3000, `${r.lines.length} lines`);
  assert.match(r.said.join('\n'), /nova-api\.log has other bytes before byte \d+ than when it was read/);
});

test('the checkpoint stays small, however often it is written', async () => {
  await using r = await follow();
  for (let n = 0; n < 400; n++) {
    append(r, numbered(n * 50, (n + 1) * 50));
    await r.poll();
    await r.save();
  }
  const { files } = JSON.parse(readFileSync(r.path('.state/checkpoint.json'), 'utf8')) as { files: object[] };
  const size = JSON.stringify(files[0]).length;
  assert.ok(size < 2500, `${size} bytes for a file of ${statSync(r.path(FILE)).size}`);
});

test('bytes that vanished before they were read are counted and logged, while stopped', async () => {
  await using r = await shipped(100);
  r.acknowledge = () => false;
  append(r, numbered(100, 150));
  await r.poll();
  await r.restart();
  cut(r, bytes(numbered(0, 90)));
  await r.poll();
  assert.equal(r.counts.lostBytes, bytes(numbered(100, 150)));
  assert.match(r.said.join('\n'), new RegExp(`: ${r.counts.lostBytes} bytes are lost`));
});

test('bytes that vanished after the acknowledged ones are counted and logged, while stopped', async () => {
  await using r = await shipped(100);
  r.acknowledge = () => false;
  await r.restart();
  append(r, numbered(100, 150));
  r.pace = () => Promise.resolve(false);
  await r.poll();
  r.pace = () => Promise.resolve(true);
  await r.poll();
  await r.restart();
  cut(r, bytes(numbered(0, 120)));
  r.acknowledge = () => true;
  await r.poll();
  assertIndexed(r, numbered(0, 150));
  assert.equal(r.counts.lostBytes, bytes(numbered(120, 150)));
});

test('bytes that vanished before they were read are counted and logged, while it runs', async () => {
  await using r = await follow();
  const lines = numbered(0, 8000);
  append(r, lines);
  let chunks = 0;
  // The reader has read one chunk of the file when its owner cuts it.
  r.pace = () => {
    if (++chunks === 2) cut(r, bytes(lines.slice(0, 5000)));
    return Promise.resolve(true);
  };
  await r.poll();
  assertIndexed(r, lines.slice(0, 5000));
  assert.equal(r.counts.lostBytes, bytes(lines.slice(5000)));
  assert.match(r.said.join('\n'), /was cut to \d+ bytes before its end was read: \d+ bytes are lost/);
});

for (const isRestored of [false, true])
  for (const inode of ['the same inode', 'another inode'] as const)
    test(`an older log is restored, with ${isRestored ? 'its' : 'a newer'} checkpoint and ${inode}: each line is indexed once`, async () => {
      await using r = await shipped(600, 3);
      copyFileSync(r.path(FILE), r.path('snapshot'));
      copyFileSync(r.path('.state/checkpoint.json'), r.path('snapshot.json'));
      append(r, numbered(600, 1000));
      await r.poll();
      await r.restart();
      if (isRestored) {
        copyFileSync(r.path('snapshot.json'), r.path('.state/checkpoint.json'));
        await r.kill();
      }
      if (inode === 'another inode') renameSync(r.path('snapshot'), r.path(FILE));
      else writeFileSync(r.path(FILE), readFileSync(r.path('snapshot')));
      append(r, numbered(0, 600, 'm'));
      await r.poll();
      assertIndexed(r, [...numbered(0, 1000), ...numbered(0, 600, 'm')]);
    });

test('a newer log is restored with an older checkpoint: each line is indexed once', async () => {
  await using r = await shipped(600);
  append(r, numbered(600, 1000));
  await r.poll();
  await r.kill();
  await r.poll();
  assertIndexed(r, numbered(0, 1000));
});

test('a rotated file that starts like the shipped one is not taken for its copy', async () => {
  await using r = await shipped(100);
  await r.restart();
  // The file was removed, and at its rotated name is one that only starts alike.
  rmSync(r.path(FILE));
  const other = [...numbered(0, 20), ...numbered(0, 200, 'm')];
  writeFileSync(r.path(`${FILE}.1`), text(other));
  await r.poll();
  assertIndexed(r, [...numbered(0, 100), ...numbered(0, 200, 'm')]);
});

test('a rotated file that was cut is read from its last unchanged bytes', async () => {
  await using r = await shipped(100, 5);
  await r.restart();
  renameSync(r.path(FILE), r.path(`${FILE}.1`));
  truncateSync(r.path(`${FILE}.1`), bytes(numbered(0, 70)));
  appendFileSync(r.path(`${FILE}.1`), text(numbered(0, 100, 'm')));
  append(r, numbered(0, 10, 'k'));
  await r.poll();
  assertIndexed(r, [...numbered(0, 100), ...numbered(0, 100, 'm'), ...numbered(0, 10, 'k')]);
});

for (const when of ['while it was stopped', 'while it ran'])
  for (const added of [5, 200])
    test(`a file cut, grown by ${added} lines and truncated after a copy, ${when}: its lines are read from the copy`, async () => {
      await using r = await shipped(100, 5);
      if (when === 'while it was stopped') await r.restart();
      cut(r, bytes(numbered(0, 30)));
      append(r, numbered(0, added, 'm'));
      copyFileSync(r.path(FILE), r.path(`${FILE}.1`));
      cut(r, 0);
      append(r, numbered(0, 10, 'k'));
      await r.poll();
      await r.restart();
      await r.poll();
      assertIndexed(r, [...numbered(0, 100), ...numbered(0, added, 'm'), ...numbered(0, 10, 'k')]);
    });

test('a file without proofs, of an older build, resumes at its offset if it is long enough', async () => {
  for (const left of [100, 40]) {
    await using r = await shipped(100);
    const file = r.path('.state/checkpoint.json');
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, unknown>[] };
    for (const entry of saved.files) {
      delete entry['trail'];
      delete entry['size'];
      delete (entry['generation'] as Record<string, unknown>)['digestFrom'];
    }
    writeFileSync(file, JSON.stringify(saved));
    await r.kill();
    r.lines.length = r.ids.length = 0;
    cut(r, bytes(numbered(0, left)));
    append(r, numbered(0, 2, 'm'));
    await r.poll();
    assert.deepEqual(r.lines, [...(left === 100 ? [] : numbered(0, left)), ...numbered(0, 2, 'm')]);
  }
});

test('lines that an older build may have sent keep their ids, and later ones have a digest', async () => {
  await using r = await shipped(10);
  const file = r.path('.state/checkpoint.json');
  const saved = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, unknown>[] };
  for (const entry of saved.files) delete (entry['generation'] as Record<string, unknown>)['digestFrom'];
  writeFileSync(file, JSON.stringify(saved));
  append(r, numbered(10, 12));
  await r.kill();
  const begun = r.begun;
  await r.poll();
  assert.ok(r.begun > begun, 'the boundary is saved before a line is sent');
  append(r, numbered(12, 13));
  await r.poll();
  assert.deepEqual(
    r.ids.slice(10).map((id) => id.length),
    [21, 21, 28],
  );
  await r.restart();
  append(r, numbered(13, 14));
  await r.poll();
  assert.equal(r.ids.at(-1)?.length, 28);
});

/** A file that is written, shipped, cut and restored at random. */
async function random(seed: number): Promise<void> {
  const chance = randomFrom(seed);
  const upTo = (most: number) => Math.floor(chance() * (most + 1));
  await using r = await follow();
  const path = r.path(FILE);
  writeFileSync(path, '');
  let n = 0;
  const whole = new Set<string>();
  const polled = new Set<string>();
  const write = (most: number) => {
    const lines = Array.from({ length: 1 + upTo(most) }, () => lineOf(`${n++} ${'y'.repeat(upTo(20))}`));
    for (const line of lines) whole.add(line);
    append(r, lines);
  };
  const poll = async () => {
    await r.poll();
    const terminated = readFileSync(path, 'utf8')
      .split(/[\n\0]/)
      .slice(0, -1);
    for (const line of terminated) if (whole.has(line)) polled.add(line);
  };
  write(30);
  const steps: readonly (() => Promise<void> | void)[] = [
    () => write(60),
    () => write(3),
    poll,
    () => r.save(),
    () => r.kill(),
    () => r.restart(),
    () => {
      // To less, another file would start in its place.
      const { size } = statSync(path);
      if (size < 2000) return;
      const to = 512 + upTo(size - 512);
      truncateSync(path, to);
      const nuls = chance() < 0.3 ? upTo(9000) : 0;
      appendFileSync(path, Buffer.alloc(nuls));
    },
    () => copyFileSync(path, r.path('snapshot')),
    async () => {
      await r.restart();
      try {
        if (chance() < 0.5) writeFileSync(path, readFileSync(r.path('snapshot')));
        else renameSync(r.path('snapshot'), path);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
      }
    },
  ];
  for (let at = 0; at < 60; at++) await steps[upTo(steps.length - 1)]!();
  await poll();
  const documents = new Map<string, number>();
  for (const line of indexed(r)) documents.set(line, (documents.get(line) ?? 0) + 1);
  const wrong = [...polled].filter((line) => documents.get(line) !== 1);
  assert.deepEqual(wrong, [], `seed ${seed}`);
}

test('a file that is cut, torn and restored at random: each line that was polled is indexed once', async () => {
  for (let seed = 1; seed <= 150; seed++) await random(seed);
});

test('a new file that starts with the same 900 bytes as one that is gone has its own ids', async () => {
  const banner = 'starting '.repeat(100);
  await using r = await follow();
  append(r, [banner, ...numbered(0, 100)]);
  await r.poll();
  await r.restart();
  const other = r.path('nova/other');
  writeFileSync(other, text([banner, ...numbered(0, 50, 'm')]));
  renameSync(other, r.path(FILE));
  await r.poll();
  assertIndexed(r, [banner, banner, ...numbered(0, 100), ...numbered(0, 50, 'm')]);
});

test('a compressed rotated file still tells how much was lost', async () => {
  await using r = await shipped(100);
  append(r, numbered(100, 150));
  await r.restart();
  writeFileSync(r.path(`${FILE}.1.gz`), gzipSync(readFileSync(r.path(FILE))));
  rmSync(r.path(FILE));
  await r.poll();
  assert.equal(r.counts.lostBytes, bytes(numbered(100, 150)));
});
