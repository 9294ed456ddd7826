import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defined } from '../../src/core/defined.ts';

test('undefined values are left out; null, false, 0 and an empty text are kept', () => {
  assert.deepEqual(defined({ a: undefined, b: null, c: false, d: 0, e: '' }), { b: null, c: false, d: 0, e: '' });
  const port: { readonly port?: number } = { ...defined({ port: undefined as number | undefined }) };
  assert.equal('port' in port, false);
});
