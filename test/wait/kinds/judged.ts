import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitState } from '../../../src/wait/dependency/verdict.ts';

export const metadata = { name: 'x', generation: 2 };
export const ending = { ...metadata, deletionTimestamp: 'now' };
export const is = (type: string, status = 'True', more: object = {}) => ({ type, status, ...more });

/** A test for each case: its name, the actual verdict and the expected one. */
export function judged(what: string, cases: readonly (readonly [string, WaitState, WaitState['is'], string])[]): void {
  for (const [name, verdict, expected, state] of cases)
    test(`${what} ${name} is ${expected}`, () => assert.deepEqual(verdict, { is: expected, state }));
}
