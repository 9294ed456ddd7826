import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineDigest } from '../../../src/logship/tables/line-digest.ts';

const digestOf = (text: string) => lineDigest(Buffer.from(text));

test('the digest of a line is seven digits, and depends on each of its bytes', () => {
  for (const length of [0, 1, 3, 4, 15, 16, 17, 31, 64, 227]) {
    const line = 'x'.repeat(length);
    const digests = new Set([digestOf(line), digestOf(`${line}x`)]);
    for (let at = 0; at < length; at++) digests.add(digestOf(`${line.slice(0, at)}y${line.slice(at + 1)}`));
    assert.equal(digests.size, length + 2);
    for (const digest of digests) assert.match(digest, /^[0-9a-z]{7}$/);
  }
});

test('lines that differ in their numbers only have different digests', () => {
  const count = 20_000;
  const digests = new Set(
    Array.from({ length: count }, (_, n) => digestOf(`2026-11-27 10:00:00.000 7 INFO nova ${n}`)),
  );
  assert.equal(digests.size, count);
});

test('only the first line of an event counts', () => {
  assert.equal(digestOf('first €\nTraceback'), digestOf('first €'));
});

test('what is not UTF-8 counts as it is in the document, so that IDs stay those of strings', () => {
  assert.equal(lineDigest(Buffer.from('a\xffb', 'latin1')), digestOf('a\ufffdb'));
});
