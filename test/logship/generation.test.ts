import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentId, generationId, hasHead, headOf } from '../../src/logship/generation.ts';

const bytes = (text: string) => Buffer.from(text);

test('a head is the first line, however much follows', () => {
  assert.deepEqual(headOf(bytes('first\nsecond')), headOf(bytes('first\n')));
});

test('a head is at most 256 bytes, however much follows', () => {
  assert.deepEqual(headOf(bytes('x'.repeat(256))), headOf(bytes('x'.repeat(256))));
  assert.equal(headOf(bytes('x'.repeat(300)))?.length, 256);
});

test('there is no head before the first line is whole, unless nothing more comes', () => {
  assert.equal(headOf(bytes('unfinished')), undefined);
  assert.equal(headOf(bytes('unfinished'), true)?.length, 10);
  assert.equal(headOf(bytes(''), true), undefined);
});

test('a file is known by its head, and another one is not', () => {
  const head = headOf(bytes('first\n'))!;
  assert.equal(hasHead(bytes('first\nmore'), head), true);
  assert.equal(hasHead(bytes('other\nmore'), head), false);
  assert.equal(hasHead(bytes('fir'), head), false);
});

test('the id of a generation depends on source, path, inode, head and count, and not on the device or on when', () => {
  const head = headOf(bytes('a\n'))!;
  const base = { path: '/a', dev: 1, ino: 2, head, nth: 0, firstSeenMs: 3 };
  const id = generationId('s', base);
  assert.equal(generationId('s', { ...base, dev: 9, firstSeenMs: 9 }), id);
  const others = [
    generationId('t', base),
    generationId('s', { ...base, path: '/b' }),
    generationId('s', { ...base, ino: 9 }),
    generationId('s', { ...base, nth: 1 }),
    generationId('s', { ...base, head: headOf(bytes('b\n'))! }),
  ];
  assert.equal(new Set([id, ...others]).size, 6);
});

test('ids of one file sort as its lines do', () => {
  const generation = { id: 'g', path: '/a', dev: 1, ino: 2, head: { length: 0, hash: '' }, nth: 0, firstSeenMs: 3 };
  const ids = [0, 35, 36, 1e6, 1e13].map((offset) => documentId(generation, offset));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.length)).size, 1);
});
