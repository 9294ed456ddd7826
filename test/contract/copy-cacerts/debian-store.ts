/** Debian's own update-ca-certificates, and what we do in its place, on the same stores: /etc/ssl/certs is the same after each step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../../tools/process.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import type { Tree } from '../throw-away-root.ts';
import { CONFIG, sides, type Ours } from './sides.ts';

/** With a file here the script runs: it would have to call it. */
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

/** What the deployment brings, start after start: names and contents. */
const STEPS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'one comes, stays, and goes': [{ 'a.crt': one }, { 'a.crt': one }, {}],
  'one is replaced, another added': [{ 'a.crt': one }, { 'a.crt': two, 'b.crt': one }, { 'b.crt': one }],
  'an authority is renewed: two have the same subject': [
    { 'a.crt': one, 'b.crt': pem('One') },
    { 'b.crt': pem('One') },
  ],
  'names that become others': [{ 'our root (old), 1.crt': one, 'b.pem': two }],
  'several in one file': [{ 'a.crt': one + two }, { 'a.crt': two }],
  'one that the image has': [{ 'a.crt': image }, {}],
  'no newline at its end': [{ 'a.crt': one.trimEnd(), 'b.crt': two }],
};

/** Each link with its target but the number of one by hash, and the bundle. */
const LIST = `cd /etc/ssl/certs; for each in *; do
    target=$(readlink "$each") || { echo "$each $(stat -c %a "$each") $(sha256sum < "$each")"; continue; }
    [[ $each =~ ^[0-9a-f]{8}\\.[0-9]+$ ]] && each=\${each%.*}.N
    echo "$each -> $target"
  done | sort; ls | grep -E '^[0-9a-f]{8}\\.[0-9]+$' | sort`;

const START = `update-ca-certificates --fresh > /dev/null || exit
  step() { rm -rf /${CONFIG}; cp -r "$1" /${CONFIG}; kolla_copy_cacerts > /tmp/said; echo "code $?"; [[ -e /${HOOK} ]] && update-ca-certificates --fresh > /dev/null; ${LIST}; }`;

/**
 * Every case by kolla_copy_cacerts with and without a hook, as tests of the file that calls this. With one, what the script leaves behind of
 * removed certificates is removed by its --fresh.
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
    test(`the same store as by Debian's script: ${what}`, { skip }, async () => {
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
    'a link of the image is gone': { line: 'rm /etc/ssl/certs/image.pem' },
    'one was deselected since': { line: 'sed -i "s:^x/image:!&:" /etc/ca-certificates.conf' },
    'one that is listed is gone': { line: 'echo x/none.crt >> /etc/ca-certificates.conf' },
    'one that the image added is not in yet': { line: 'cp /sets/b.crt /usr/local/share/ca-certificates/' },
    'one of ours holds no certificate': { line: '', tree: { 'sets/0/b.crt': 'no certificate\n' } },
  }))
    test(`Debian's script runs where ${what}`, { skip }, async () => {
      const files = { 'sets/0/a.crt': one, 'sets/b.crt': two, ...tree };
      const all = `${line === '' ? ':' : line}; step /sets/0`;
      const [theirs, ours] = [await inRoot(all, { ...files, ...hook }), await inRoot(all, files)];
      assert.match(theirs.stdout, /^code 0\n/, theirs.stderr);
      assert.equal(ours.stdout, theirs.stdout, ours.stderr);
      assert.doesNotMatch(ours.stderr, /updated \/etc\/ssl\/certs/);
    });

  test("a copy by hash instead of a link is the image's, too", { skip }, async () => {
    const copy = 'h=$(openssl x509 -hash -noout < /sets/0/a.crt); cp /sets/0/a.crt /etc/ssl/certs/$h.0';
    const line = `${copy}; step /sets/0 > /dev/null; ls /etc/ssl/certs/$h.*; tail -n 1 /tmp/said`;
    const { stdout, stderr } = await inRoot(line, { 'sets/0/a.crt': one });
    assert.match(stdout, /^\/etc\/ssl\/certs\/[0-9a-f]{8}\.0\n$/, stderr);
    assert.match(stderr, /updated \/etc\/ssl\/certs/);
  });

  test('a store that is read-only is named, with the fix', { skip }, async () => {
    const readOnly = 'mount --bind /etc/ssl/certs /etc/ssl/certs; mount -o remount,bind,ro /etc/ssl/certs';
    const { stdout, stderr } = await inRoot(`${readOnly}; step /sets/0 | head -n 1`, { 'sets/0/a.crt': one });
    assert.match(stdout, /^code (?:69|77)\n/, stderr);
    assert.match(stderr, /cannot update the CA certificates in \/etc\/ssl\/certs.*mount a volume there/);
    assert.doesNotMatch(stderr, /our bug/);
  });

  test('a hook of the image is told what was added', { skip }, async () => {
    const tell = { 'etc/ca-certificates/update.d/other': { text: '#!/bin/sh\ncat > /tmp/told\n', mode: 0o755 } };
    const tree = { 'sets/0/a.crt': one, ...tell };
    const { stdout, stderr } = await inRoot('step /sets/0 > /dev/null; cat /tmp/told', tree);
    assert.equal(stdout, '+/etc/ssl/certs/kolla-customca-a.pem\n', stderr);
  });
}
