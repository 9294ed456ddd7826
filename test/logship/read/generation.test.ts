import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentId, Generation, hasFirstLine } from '../../../src/logship/position/generation.ts';

const bytes = (text: string) => Buffer.from(text);
const identity = (text: string) => ({
  path: '/a',
  dev: 1,
  ino: 2,
  firstSeenMs: 3,
  head: bytes(text),
  rivals: [],
});
const generation = (text: string, more: object = {}) => new Generation('s', { ...identity(text), ...more });

/** Passes the lines of a text, as a tail does that polls every `step` bytes. */
function idsOf(one: Generation, text: string, step: number): string[] {
  const ids: string[] = [];
  let done = 0;
  for (let seen = step; ; seen += step) {
    const known = bytes(text).subarray(0, Math.min(seen, text.length));
    one.learn(known.subarray(0, 256));
    for (let end = known.indexOf(10, done); end !== -1; end = known.indexOf(10, done)) {
      if (done < 256) one.nameLine(done, end + 1);
      ids.push(documentId(one, done, known.subarray(done, end)));
      done = end + 1;
    }
    if (seen >= text.length) return ids;
  }
}

const TEXT = Array.from({ length: 40 }, (_, n) => `line ${n} of the file\n`).join('');

test('ids do not depend on the time of polls', () => {
  const whole = idsOf(generation(TEXT.slice(0, 256)), TEXT, TEXT.length);
  for (const step of [1, 7, 21, 100, 257]) {
    assert.deepEqual(
      idsOf(generation(TEXT.slice(0, Math.min(step, 256))), TEXT, step),
      whole,
      `${step} bytes at a time`,
    );
  }
});

test('no two lines of a file have the same id', () => {
  const ids = idsOf(generation(TEXT.slice(0, 256)), TEXT, 50);
  assert.equal(new Set(ids).size, 40);
});

test('generations with the same first line have different ids from where they differ', () => {
  const other = TEXT.replace('line 3', 'LINE 3');
  const [a, b] = [TEXT, other].map((text) => idsOf(generation(text.slice(0, 256)), text, text.length));
  assert.deepEqual(a!.slice(0, 3), b!.slice(0, 3));
  assert.equal(new Set([...a!.slice(3), ...b!.slice(3)]).size, 74);
});

test('generations seen one after the other have different ids from the first line on', () => {
  const first = generation(TEXT.slice(0, 256));
  const second = generation('', { rivals: first.rivalsOfNext(bytes(TEXT.slice(0, 30))) });
  const third = generation('', { rivals: second.rivalsOfNext(bytes('other\n')) });
  const ids = [first, second, third].flatMap((each) => idsOf(each, TEXT, 40));
  assert.equal(new Set(ids).size, 80, 'the third continues after another first line, and gets a new count');
});

test('a prefix shared by earlier generations and the newest counts once per generation', () => {
  const first = generation('a\n');
  const second = generation('a\n', { rivals: first.rivalsOfNext(bytes('a\n')) });
  assert.deepEqual(second.rivalsOfNext(bytes('a\n')), [{ head: bytes('a\n'), times: 2 }]);
  assert.deepEqual(second.rivalsOfNext(bytes('b\n')), []);
});

test('a generation read again from a rotated file is recognized by its start, and has the same earlier rivals', () => {
  const first = generation('a\n1\n');
  const second = generation('a\n2\n', { rivals: first.rivalsOfNext(bytes('a\n')) });
  const third = generation('a\n2\n', { rivals: second.rivalsOfNext(bytes('a\n')) });
  assert.deepEqual(third.rivalsOfKnown(bytes('a\n1\n')), []);
  assert.deepEqual(third.rivalsOfKnown(bytes('a\n2\n')), third.rivals);
  assert.deepEqual(third.rivalsOfKnown(bytes('a\n2\nmore\n')), third.rivals, 'the head has grown');
  assert.equal(third.rivalsOfKnown(bytes('a\n3\n')), undefined);
});

test('a generation starts when the first line is complete, or a head is full', () => {
  assert.equal(hasFirstLine(bytes('unfinished')), false);
  assert.equal(hasFirstLine(bytes('whole\n')), true);
  assert.equal(hasFirstLine(Buffer.alloc(256, 'x')), true);
});

test('a file is recognized by its start, and others are not', () => {
  const one = generation('first\n');
  assert.equal(one.matches(bytes('first\nmore')), true);
  assert.equal(one.matches(bytes('other\nmore')), false);
  assert.equal(one.matches(bytes('fir')), false);
  one.learn(bytes('first\nmore'));
  assert.equal(one.matches(bytes('first\nless')), false, 'more of the head is known by now');
});

test('the ids of a generation depend on source, path and head, and not on device, inode or time', () => {
  const { id } = generation('a\n');
  assert.equal(generation('a\n', { dev: 9, ino: 9, firstSeenMs: 9 }).id, id);
  const others = [new Generation('t', identity('a\n')).id, generation('a\n', { path: '/b' }).id, generation('b\n').id];
  assert.equal(new Set([id, ...others]).size, 4);
});

test('ids of one file sort in the order of its lines', () => {
  const one = generation('x'.repeat(256));
  const ids = [256, 300, 1e6, 1e13].map((offset) => documentId(one, offset, Buffer.from('line')));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.length)).size, 1);
});

for (const [what, textOf] of [
  ['a date in their second line', (n: number) => `up\n2026-11-20 08:${String(n).padStart(4, '0')} on\n${TEXT}`],
  ['two texts in turn', (n: number) => `up\n${n % 2 === 0 ? 'even' : 'odd'}\n${TEXT}`],
  ['one text', () => `up\n${TEXT}`],
] as const)
  test(`hundreds of generations with the same first line and ${what} have their own ids, and few are remembered`, () => {
    const ids = new Set<string>();
    let [wanted, rivals]: [number, Generation['rivals']] = [0, []];
    for (let n = 0; n < 500; n++) {
      const text = textOf(n);
      const one = generation(text.slice(0, 256), { rivals });
      const found = idsOf(one, text, text.length);
      for (const id of found) ids.add(id);
      wanted += found.length;
      rivals = one.rivalsOfNext(bytes(textOf(n + 1)).subarray(0, 256));
    }
    assert.equal(ids.size, wanted);
    assert.ok(rivals.length <= 64, `${rivals.length} are remembered`);
  });

test('a generation is recognized while its start is remembered, and counts as new afterwards', () => {
  const textOf = (n: number) => `up\n2026-11-20 08:${String(n).padStart(4, '0')} on\n`;
  let rivals: Generation['rivals'] = [];
  for (let n = 0; n < 100; n++) rivals = generation(textOf(n), { rivals }).rivalsOfNext(bytes(textOf(n + 1)));
  const last = generation(textOf(100), { rivals });
  assert.notEqual(last.rivalsOfKnown(bytes(textOf(90))), undefined);
  assert.equal(last.rivalsOfKnown(bytes(textOf(3))), undefined);
});
