import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha1 } from '@noble/hashes/legacy.js';
import * as node from '../../src/core/digest.ts';
import * as ours from '../../src/engine/digest.ts';

// Loads the script of a rarely used package, as a bundle of kolla-core does.
globalThis.require = ((name: string) => {
  assert.equal(name, '@noble/hashes');
  return { sha1 };
}) as NodeJS.Require;

// Crosses the ends of two 64-byte blocks, where padding needs another block.
const BYTES = Array.from({ length: 200 }, (_, length) => Buffer.alloc(length, length));

test("digests match Node's for any length", () => {
  for (const bytes of [...BYTES, Buffer.alloc(1_000_003, 'digest')]) {
    assert.deepEqual(ours.sha1(bytes), node.sha1(bytes));
  }
});
