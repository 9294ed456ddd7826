import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ended, Reference, Start } from './reference.ts';
import { canRunReference, startReference } from './reference.ts';
import { CASES } from './cases/index.ts';
import { byReference, errorClass, linesOf, play, type Case } from './play.ts';
import { differences } from './tree.ts';

/** Every case, with Kolla's tool and with ours, as tests of the calling file. */
export async function testAsKolla(ours: (at: Start) => Promise<Ended>, otherSkip?: string): Promise<void> {
  const skip = otherSkip ?? (await canRunReference()) ?? false;
  let reference: Reference;
  let ran = 0;
  before(async () => {
    if (skip === false) reference = await startReference();
  });
  after(async () => await reference?.[Symbol.asyncDispose]());
  for (const one of CASES) {
    test(`as Kolla: ${one.name}`, { skip }, async () => {
      await compare(one, reference, ours);
      ran++;
    });
  }
  test('every case was run, and names are unique', { skip }, (t) => {
    t.diagnostic(`cases run: ${ran}, cases defined: ${CASES.length}`);
    assert.equal(ran, CASES.length);
    assert.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length);
  });
}

/** Plays a case with both; rejects with the first difference. */
export async function compare(one: Case, reference: Reference, start: (at: Start) => Promise<Ended>): Promise<void> {
  const theirs = await play(one, byReference(reference));
  const ours = await play(one, start);
  assert.equal(ours.length, theirs.length);
  for (const [i, their] of theirs.entries()) {
    const our = ours[i]!;
    const said = `start ${i + 1}\n--- Kolla's\n${their.stderr}--- ours\n${our.stderr}`;
    assert.equal(our.code, their.code, said);
    assert.equal(errorClass(our), errorClass(their), said);
    if (their.code === 0) {
      assert.deepEqual(differences(their.tree, our.tree), [], said);
      assert.deepEqual(linesOf(our), linesOf(their));
    } else {
      // Kolla's tool stops midway, while ours changes nothing.
      assert.deepEqual(differences(our.before, our.tree), [], said);
    }
  }
}
