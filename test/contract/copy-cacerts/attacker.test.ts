/**
 * A service's user attacks kolla_copy_cacerts, which runs as root with certificates in a directory writable by that
 * user: no file readable only by root is copied into the store, and nothing elsewhere changes.
 */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { attacked, judge, NOVA, OUTSIDE, RUNS, type Attack } from '../set-configs/attacked.ts';
import { byCore } from '../set-configs/ours.ts';
import { look } from '../set-configs/tree.ts';

fileLimit(20);

const STORE = 'usr/local/share/ca-certificates';
const SHARED = 'var/lib/kolla/share/ca-certificates';
const pem = (text: string) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(text).toString('base64')}\n-----END CERTIFICATE-----\n`;
const THEIRS = pem('not yours');

const isRoot = process.geteuid?.() === 0;
const skip = (await canBuildCore()) ?? (isRoot ? undefined : 'needs root, to be attacked by another user') ?? false;
const directory = await privateDirectory('attacked-ca');
chmodSync(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());

const attack: Attack = {
  // There is no event to wait for, because inotify does not report reads.
  how: 'always',
  most: RUNS,
  root: join(directory.path, 'root'),
  files: {
    srv: { directory: true },
    [OUTSIDE]: { directory: true, mode: 0o755 },
    [`${OUTSIDE}/secret`]: { text: THEIRS, mode: 0o600 },
    [`${OUTSIDE}/a.crt`]: { text: THEIRS, mode: 0o600 },
    [`${OUTSIDE}/ca-certificates`]: { directory: true, mode: 0o700 },
    [`${OUTSIDE}/ca-certificates/a.crt`]: { text: THEIRS, mode: 0o600 },
    [`${OUTSIDE}/ca-certificates/b.crt`]: { text: THEIRS, mode: 0o600 },
    'etc/debian_version': '13.0\n',
    'etc/kolla/defaults/state': `[{"source": "/${SHARED}"}]`,
    'var/lib/kolla/share': { directory: true, owner: NOVA },
    [SHARED]: { directory: true, owner: NOVA },
    [`${SHARED}/a.crt`]: { text: pem('a'), owner: NOVA },
    [`${SHARED}/b.crt`]: { text: pem('b'), owner: NOVA },
    [STORE]: { directory: true },
  },
  swapped: [SHARED, `${SHARED}/a.crt`, `${SHARED}/b.crt`],
  outside: (root) =>
    new Map([
      ...look(root, 'srv'),
      ...look(root, 'etc/debian_version'),
      ...[...look(root, STORE)].filter(([, { what }]) => what.includes(THEIRS)),
    ]),
};

test(`${RUNS} runs of kolla_copy_cacerts next to an attacker copy no file of root's`, { skip }, async (t) => {
  const { binary } = await coreBinary(directory.path);
  const outcome = await attacked(attack, byCore(binary, 'kolla_copy_cacerts'));
  judge(t, outcome);
  assert.equal(outcome.codes.get(70), undefined, outcome.last);
});
