import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, reasonOf } from '../../src/core/errors.ts';

test('an error at the end of a block is told after the one in it', async () => {
  const work = async () => {
    await using _ = { [Symbol.asyncDispose]: () => Promise.reject(new Error('the node is gone')) };
    throw new Error('the upgrade failed');
  };
  assert.equal(messageOf(await work().catch((error: unknown) => error)), 'the upgrade failed; then the node is gone');
});

test('a file error is told in words, with its path, and without it where the path is named already', () => {
  const failed = (code: string, more: object) => Object.assign(new Error(`${code}: raw, open '/x'`), { code, ...more });
  for (const [code, words] of [
    ['ENOENT', 'no such file or directory'],
    ['EISDIR', 'it is a directory, not a file'],
    ['ENOTDIR', 'a part of the path is not a directory'],
    ['EACCES', 'permission denied'],
  ] as const) {
    const error = failed(code, { syscall: 'open', path: '/x' });
    assert.equal(messageOf(error), `${words}: /x`);
    assert.equal(reasonOf(error), words);
    assert.equal(messageOf(failed(code, { syscall: 'open', path: '/proc/self/fd/3/x' })), words);
  }
  assert.equal(messageOf(failed('ENOENT', { syscall: 'spawn x', path: 'x' })), 'no such program: x');
  assert.equal(messageOf(failed('ENOSPC', { syscall: 'write' })), "ENOSPC: raw, open '/x'");
});
