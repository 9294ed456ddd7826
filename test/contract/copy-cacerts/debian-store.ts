/** Debian's update-ca-certificates and our replacement on the same stores: /etc/ssl/certs is equal after each step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../../tools/process.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import type { Tree } from '../throw-away-root.ts';
import { CONFIG, sides, type Ours } from './sides.ts';

/** A hook of Debian's script: if there is one, kolla_copy_cacerts runs the script, because only that calls hooks. */
const HOOK = 'etc/ca-certificates/update.d/tell';
const PACKAGED = 'usr/share/ca-certificates';

const pem = (name: string) => makeAuthority(name).certificate;
const [one, two, image] = [pem('One'), pem('Two'), pem('Image')];

const IMAGE: Tree = {
  'etc/debian_version': '12\n',
  'etc/ca-certificates.conf': '# comment\n\nx/image.crt\nx/other image.crt\n!x/deselected.crt\n',
  [`${PACKAGED}/x/image.crt`]: image,
  [`${PACKAGED}/x/other image.crt`]: pem('Another').trimEnd(),
  [`${PACKAGED}/x/deselected.crt`]: pem('Deselected'),
  'usr/local/share/ca-certificates/site.crt': pem('Site'),
  'usr/local/share/ca-certificates/below/also.crt': pem('Also'),
};

/** The deployment's certificates at each start, as names and contents. */
const STEPS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'a certificate is added, stays, and is removed': [{ 'a.crt': one }, { 'a.crt': one }, {}],
  'a certificate is replaced, another added': [{ 'a.crt': one }, { 'a.crt': two, 'b.crt': one }, { 'b.crt': one }],
  'a CA certificate is renewed: two have the same subject': [
    { 'a.crt': one, 'b.crt': pem('One') },
    { 'b.crt': pem('One') },
  ],
  'renamed certificates': [{ 'our root (old), 1.crt': one, 'b.pem': two }],
  'several certificates in one file': [{ 'a.crt': one + two }, { 'a.crt': two }],
  'a certificate of the image': [{ 'a.crt': image }, {}],
  'no newline at the end': [{ 'a.crt': one.trimEnd(), 'b.crt': two }],
};

/** Each link with its target (for hash links without the number), and the bundle. */
const LIST = `cd /etc/ssl/certs; for each in *; do
    target=$(readlink "$each") || { echo "$each $(stat -c %a "$each") $(sha256sum < "$each")"; continue; }
    [[ $each =~ ^[0-9a-f]{8}\\.[0-9]+$ ]] && each=\${each%.*}.N
    echo "$each -> $target"
  done | sort; ls | grep -E '^[0-9a-f]{8}\\.[0-9]+$' | sort`;

const START = `update-ca-certificates --fresh > /dev/null || exit
  step() { rm -rf /${CONFIG}; cp -r "$1" /${CONFIG}; kolla_copy_cacerts > /tmp/said; echo "code $?"; [[ -e /${HOOK} ]] && update-ca-certificates --fresh > /dev/null; ${LIST}; }`;

/**
 * Every case by kolla_copy_cacerts with and without a hook, as tests of the calling file. With a hook, the script's
 * --fresh removes the links that it leaves for removed certificates.
 */
export async function testDebianStore(tool: Ours): Promise<void> {
  const { alone, skip: missing } = await sides(tool);
  const hasScript = await run('bash', ['--norc', '-c', 'type -P update-ca-certificates openssl']).catch(
    () => undefined,
  );
  const skip = missing === false && hasScript?.code !== 0 ? 'no update-ca-certificates on this machine' : missing;
  const inRoot = (line: string, tree: Tree) => alone(`export LC_ALL=C; ${START}; ${line}`, { ...IMAGE, ...tree });
  const hook = { [HOOK]: { text: '#!/bin/sh\ncat > /dev/null\n', mode: 0o755 } };

  for (const [what, steps] of Object.entries(STEPS))
    test(`produces the same store as Debian's script: ${what}`, { skip }, async () => {
      const files = steps.flatMap((step, i) =>
        Object.entries({ ...step, '.keep': '' }).map(([name, text]) => [`sets/${i}/${name}`, text]),
      );
      const line = steps.map((_, i) => `step /sets/${i}`).join('; ');
      const tree = Object.fromEntries(files) as Tree;
      const [theirs, ours] = [await inRoot(line, { ...tree, ...hook }), await inRoot(line, tree)];
      assert.match(theirs.stdout, /^code 0\n/, theirs.stderr);
      assert.equal(ours.stdout, theirs.stdout, ours.stderr);
      assert.doesNotMatch(theirs.stderr, /updated \/etc\/ssl\/certs/);
      assert.equal(ours.stderr.match(/updated \/etc\/ssl\/certs/g)?.length, steps.length, ours.stderr);
    });

  for (const [what, { line, tree = {} }] of Object.entries<{ line: string; tree?: Tree }>({
    'a link of the image is missing': { line: 'rm /etc/ssl/certs/image.pem' },
    'a certificate was deselected since': { line: 'sed -i "s:^x/image:!&:" /etc/ca-certificates.conf' },
    'a listed certificate is missing': { line: 'echo x/none.crt >> /etc/ca-certificates.conf' },
    'a certificate added by the image is not installed yet': {
      line: 'cp /sets/b.crt /usr/local/share/ca-certificates/',
    },
    'one of our files holds no certificate': { line: '', tree: { 'sets/0/b.crt': 'no certificate\n' } },
  }))
    test(`Debian's script runs if ${what}`, { skip }, async () => {
      const files = { 'sets/0/a.crt': one, 'sets/b.crt': two, ...tree };
      const all = `${line === '' ? ':' : line}; step /sets/0`;
      const [theirs, ours] = [await inRoot(all, { ...files, ...hook }), await inRoot(all, files)];
      assert.match(theirs.stdout, /^code 0\n/, theirs.stderr);
      assert.equal(ours.stdout, theirs.stdout, ours.stderr);
      assert.doesNotMatch(ours.stderr, /updated \/etc\/ssl\/certs/);
    });

  test("a certificate copied to its hash name counts as the image's, as a link does", { skip }, async () => {
    const copy = 'h=$(openssl x509 -hash -noout < /sets/0/a.crt); cp /sets/0/a.crt /etc/ssl/certs/$h.0';
    const line = `${copy}; step /sets/0 > /dev/null; ls /etc/ssl/certs/$h.*; tail -n 1 /tmp/said`;
    const { stdout, stderr } = await inRoot(line, { 'sets/0/a.crt': one });
    assert.match(stdout, /^\/etc\/ssl\/certs\/[0-9a-f]{8}\.0\n$/, stderr);
    assert.match(stderr, /updated \/etc\/ssl\/certs/);
  });

  test('a read-only store is reported with the fix', { skip }, async () => {
    const readOnly = 'mount --bind /etc/ssl/certs /etc/ssl/certs; mount -o remount,bind,ro /etc/ssl/certs';
    const { stdout, stderr } = await inRoot(`${readOnly}; step /sets/0 | head -n 1`, { 'sets/0/a.crt': one });
    assert.match(stdout, /^code (?:69|77)\n/, stderr);
    assert.match(stderr, /cannot update the CA certificates in \/etc\/ssl\/certs.*mount a volume there/);
    assert.doesNotMatch(stderr, /our bug/);
  });

  test("the image's hook gets the list of added certificates", { skip }, async () => {
    const tell = { 'etc/ca-certificates/update.d/other': { text: '#!/bin/sh\ncat > /tmp/told\n', mode: 0o755 } };
    const tree = { 'sets/0/a.crt': one, ...tell };
    const { stdout, stderr } = await inRoot('step /sets/0 > /dev/null; cat /tmp/told', tree);
    assert.equal(stdout, '+/etc/ssl/certs/kolla-customca-a.pem\n', stderr);
  });
}
