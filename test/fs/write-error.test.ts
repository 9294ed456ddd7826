import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, NotPermittedError, UnavailableError } from '../../src/core/errors.ts';
import { writeError } from '../../src/fs/write-error.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: why`), { code });

for (const [code, Expected, message] of [
  ['EACCES', NotPermittedError, 'cannot write /x: EACCES: why; mount it'],
  ['EPERM', NotPermittedError, 'cannot write /x: EPERM: why; mount it'],
  ['EROFS', NotPermittedError, 'cannot write /x: EROFS: why; mount it'],
  ['ENOSPC', UnavailableError, 'cannot write /x: ENOSPC: why'],
] as const)
  test(`a write that fails with ${code} is reported with a fix only if there is one`, () => {
    const error = writeError('cannot write /x', 'mount it', systemError(code));
    assert.ok(error instanceof Expected);
    assert.equal(error.message, message);
  });

test('details missing from the system error are not invented', () => {
  for (const cause of [new ConfigError('said already'), new TypeError('a mistake of ours')])
    assert.equal(writeError('cannot write /x', 'mount it', cause), cause);
});
