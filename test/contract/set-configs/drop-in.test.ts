import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CASES } from './cases/index.ts';
import { byReference, byUs, errorClass, linesOf, play, type Case } from './play.ts';
import { canRunReference, startReference, type Reference } from './reference.ts';
import { differences } from './tree.ts';

const skip = (await canRunReference()) ?? false;
let reference: Reference;
let ran = 0;

before(async () => {
  if (skip === false) reference = await startReference();
});
after(async () => await reference?.[Symbol.asyncDispose]());

for (const one of CASES) {
  test(`as Kolla: ${one.name}`, { skip }, async () => {
    await compare(one);
    ran++;
  });
}

test('every case there is was run, and no two have one name', { skip }, (t) => {
  t.diagnostic(`cases run: ${ran}, cases there are: ${CASES.length}`);
  assert.equal(ran, CASES.length);
  assert.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length);
});

async function compare(one: Case): Promise<void> {
  const theirs = await play(one, byReference(reference));
  const ours = await play(one, byUs);
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
      // Kolla's tool stops in the middle; ours touches nothing.
      assert.deepEqual(differences(our.before, our.tree), [], said);
    }
  }
}
