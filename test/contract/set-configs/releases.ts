/**
 * The contract with each supported release of Kolla: a configuration that its own tool installs, ours installs the same,
 * unless it uses what a later release added or changed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASES } from './cases/index.ts';
import { byReference, play, type Case, type Outcome } from './play.ts';
import { KOLLA_VERSIONS, startReference, type Ended, type Reference, type Start } from './reference.ts';
import { differences } from './tree.ts';

/** What a release of Kolla brought, by the cases that use it. */
const BROUGHT: readonly { readonly since: number; readonly cases: RegExp }[] = [
  { since: 19, cases: /^(?:exclude |permissions with recurse in an excluded|a check with another command$)/ },
  { since: 20, cases: /^a check with an entry dropped$/ },
  { since: 22, cases: /^(?:the section )?directories\b/ },
  { since: 23, cases: /^(?:the section )?files\b/ },
  // Before, a pattern was a path.
  { since: 23, cases: /^directories \{"path":"\/x\*"/ },
  { since: 23, cases: /^config\.yaml / },
  // Before, `perm` was any number of Python's, and "600" was decimal.
  { since: 23, cases: /^perm "(?:600|60|0x180|0o6|0o60000)"$/ },
];
/** Fewer would show that the tool was not run. */
const LEAST = 100;

/** Defines a test for each release. @param byUs our tool */
export function releaseTests(byUs: (at: Start) => Promise<Ended>, { skip }: { readonly skip: string | false }): void {
  // Ours knows no releases of Kolla: its results are compared with those of each.
  const played = new Map<Case, Promise<Outcome[]>>();
  const oursOf = (one: Case) => {
    const outcomes = played.get(one) ?? play(one, byUs);
    played.set(one, outcomes);
    return outcomes;
  };
  for (const [release, version] of Object.entries(KOLLA_VERSIONS))
    test(`Kolla ${release}: what its tool installs, ours installs the same`, { skip }, async (t) => {
      await using reference = await startReference(version);
      const later = BROUGHT.filter(({ since }) => since > Number(release));
      const differing: string[] = [];
      let compared = 0;
      for (const one of CASES.filter(({ name }) => !later.some(({ cases }) => cases.test(name)))) {
        const isSame = await installsTheSame(one, reference, oursOf);
        if (isSame === false) differing.push(one.name);
        if (isSame !== undefined) compared++;
      }
      t.diagnostic(`cases compared: ${compared}`);
      assert.deepEqual(differing, []);
      assert.ok(compared >= LEAST, `only ${compared} cases`);
    });
}

/** Undefined if Kolla's tool rejects the case. */
async function installsTheSame(
  one: Case,
  reference: Reference,
  oursOf: (one: Case) => Promise<Outcome[]>,
): Promise<boolean | undefined> {
  const theirs = await play(one, byReference(reference));
  if (theirs.some(({ code }) => code !== 0)) return undefined;
  const ours = await oursOf(one);
  return theirs.every(({ tree }, i) => ours[i]?.code === 0 && differences(tree, ours[i].tree).length === 0);
}
