import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeFor, ownershipFor, type Identity } from '../../src/config/owner.ts';

const USERS = { root: 0, keystone: 42425, nova: 42436, kolla: 42400 };
const ACCOUNTS = { users: new Map(Object.entries(USERS)), groups: new Map(Object.entries(USERS)) };
const ROOT: Identity = { uid: 0, gid: 0, groups: [] };
const KEYSTONE: Identity = { uid: 42425, gid: 42425, groups: [42400] };

/** Requested owner and mode, the user that runs, and the result as `uid:gid mode rule`, in which -1 means unchanged. */
const TABLE: readonly (readonly [string, number, Identity, string])[] = [
  ['keystone', 0o600, ROOT, '42425:42425 600 given'],
  ['nova:kolla', 0o4755, ROOT, '42436:42400 4755 given'],
  ['keystone', 0o600, KEYSTONE, '-1:42425 600 my user'],
  ['keystone:kolla', 0o640, KEYSTONE, '-1:42400 640 my user'],
  ['keystone:nova', 0o640, KEYSTONE, '-1:42425 640 my user'],
  ['keystone:', 0o2770, KEYSTONE, '-1:42425 2770 my user'],
  ['nova:kolla', 0o640, KEYSTONE, '-1:42400 640 my group'],
  ['root:kolla', 0o640, KEYSTONE, '-1:42400 640 my group'],
  ['root', 0o600, KEYSTONE, '-1:42425 600 in the place of root'],
  ['root', 0o640, KEYSTONE, '-1:42425 600 in the place of root'],
  ['root:root', 0o644, KEYSTONE, '-1:42425 644 in the place of root'],
  ['root', 0o755, KEYSTONE, '-1:42425 755 in the place of root'],
  ['root', 0o6775, KEYSTONE, '-1:42425 755 in the place of root'],
  ['nova', 0o644, KEYSTONE, '-1:42425 644 readable by all'],
  ['nova:nova', 0o664, KEYSTONE, '-1:42425 644 readable by all'],
  ['nova', 0o600, KEYSTONE, 'refused'],
  ['nova', 0o660, KEYSTONE, 'refused'],
];

for (const [owner, perm, me, expected] of TABLE) {
  test(`${owner} ${perm.toString(8)} for uid ${me.uid} is ${expected}`, () => {
    const result = () => {
      const found = ownershipFor(owner, ACCOUNTS, me);
      return `${found.uid}:${found.gid} ${modeFor(found, perm).toString(8)} ${found.rule}`;
    };
    if (expected === 'refused')
      assert.throws(result, /'nova' is 42436:42436, but this runs as 42425:42425.*runAsUser: 42436/);
    else assert.equal(result(), expected);
  });
}

test('an unchanged mode is rejected only for a file of another user', () => {
  assert.equal(modeFor(ownershipFor('root', ACCOUNTS, KEYSTONE), undefined), undefined);
  assert.throws(() => modeFor(ownershipFor('nova', ACCOUNTS, KEYSTONE), undefined), RangeError);
});

for (const owner of ['42425', '', ':kolla', 'keyston', 'keystone:koll']) {
  test(`owner '${owner}' is rejected, as in Kolla: only names of known users and groups are accepted`, () => {
    assert.throws(() => ownershipFor(owner, ACCOUNTS, ROOT), /no (?:user|group)/);
  });
}
