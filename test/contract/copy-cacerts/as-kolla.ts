import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAuthority } from '../../cluster/authority.ts';
import type { Tree } from '../throw-away-root.ts';
import { CONFIG, DEBIAN, LIST, REDHAT, SHARED, sides, STORE, type Ours, type Sides } from './sides.ts';

/** Registers every case, with Kolla's own script and with ours, as tests of the calling file. */
export async function testAsKolla(ours: Ours): Promise<void> {
  const both = await sides(ours);
  testSame(both);
  testDiffering(both);
  testAlone(both);
}

function testSame({ both, skip }: Sides): void {
  for (const [name, tree] of Object.entries<Tree>({
    'certificates of the deployment on Debian': { ...DEBIAN, [`${CONFIG}/a.crt`]: 'A', [`${CONFIG}/b.pem`]: 'B' },
    'certificates of the deployment on Red Hat': { ...REDHAT, [`${CONFIG}/a.crt`]: 'A' },
    'no certificates at all': DEBIAN,
    'the shared directory, when the state names it': {
      ...DEBIAN,
      'etc/kolla/defaults/state': `{"x": {"source": "/${SHARED}"}}`,
      [`${CONFIG}/a.crt`]: 'A',
      [`${SHARED}/s.crt`]: 'S',
    },
    'another spelling in the state is another directory': {
      ...DEBIAN,
      'etc/kolla/defaults/state': `{"x": {"source":"/${SHARED}"}}`,
      [`${CONFIG}/a.crt`]: 'A',
      [`${SHARED}/s.crt`]: 'S',
    },
    'certificates of an earlier start': {
      ...DEBIAN,
      [`${CONFIG}/a.crt`]: 'new',
      'usr/local/share/ca-certificates/kolla-customca-a.crt': 'old',
      'usr/local/share/ca-certificates/kolla-customca-gone.crt': 'old',
      'usr/local/share/ca-certificates/below/kolla-x.crt': 'old',
      'usr/local/share/ca-certificates/theirs.crt': 'theirs',
      'etc/ssl/certs/kolla-customca-gone.pem': 'old',
    },
    'an update that fails': { ...DEBIAN, [`${CONFIG}/a.crt`]: 'A', 'update-code': '3' },
    'an unknown distribution': { [`${CONFIG}/a.crt`]: 'A' },
  })) {
    test(`produces the same store and exit code as Kolla's script: ${name}`, { skip }, async () => {
      const [theirs, ours] = await both(tree);
      assert.match(theirs.stdout, /code \d/, theirs.stderr);
      assert.equal(ours.stdout, theirs.stdout.replace(/^Unsupported OS\n/, ''), ours.stderr);
    });
  }
}

function testDiffering({ both, skip }: Sides): void {
  test('a removed certificate is removed from the bundle too; with Kolla it stays trusted', { skip }, async () => {
    const old = { 'usr/local/share/ca-certificates/kolla-customca-gone.crt': 'old' };
    const [theirs, ours] = await both({ ...DEBIAN, ...old });
    assert.doesNotMatch(theirs.stdout, /updated/);
    assert.match(ours.stdout, /^updated\ncode 0\n/);
    assert.doesNotMatch(ours.stdout, /gone/);
  });

  test('a space or a star in a file name is part of the name; Kolla splits or expands it', { skip }, async () => {
    const [theirs, ours] = await both({ ...DEBIAN, [`${CONFIG}/our root*.crt`]: 'A' });
    assert.doesNotMatch(theirs.stdout, /kolla-customca-our root/);
    assert.match(ours.stdout, /kolla-customca-our root\*\.crt 644 {2}A/);
  });

  test('a directory among the certificates is reported and skipped', { skip }, async () => {
    const [, ours] = await both({ ...DEBIAN, [`${CONFIG}/a.crt`]: 'A', [`${CONFIG}/more/b.crt`]: 'B' });
    assert.match(ours.stderr, /ca-certificates\/more is not a file/);
    assert.match(ours.stdout, /^updated\ncode 0\n/);
    assert.doesNotMatch(ours.stdout, /kolla-customca-more/);
  });

  test('a certificate readable only by root is world-readable in the store', { skip }, async () => {
    const text = `\n${makeAuthority('a').certificate}${makeAuthority('b').certificate}\n`;
    const [theirs, ours] = await both({ ...DEBIAN, [`${CONFIG}/a.crt`]: { text, mode: 0o600 } });
    assert.match(theirs.stdout, /kolla-customca-a\.crt 600/);
    assert.match(ours.stdout, /kolla-customca-a\.crt 644/);
  });

  const deployments = makeAuthority('a deployment');
  for (const [name, text] of Object.entries({
    'no certificate': 'root:*:1::::::',
    'a certificate and its key': `${deployments.certificate}${deployments.key}`,
    'a certificate and other text': `password\n${deployments.certificate}`,
    'a damaged certificate': deployments.certificate.replace(/\n.{8}/, '\n'),
  }))
    test(`a private file stays private in the store, as with Kolla: ${name}`, { skip }, async () => {
      const tree = {
        ...DEBIAN,
        [`${CONFIG}/a.crt`]: { text, mode: 0o600 },
        [`${CONFIG}/b.crt`]: { text, mode: 0o664 },
      };
      const [theirs, ours] = await both(tree);
      assert.equal(ours.stdout, theirs.stdout);
      assert.match(ours.stdout, /kolla-customca-a\.crt 600/);
      assert.match(ours.stdout, /kolla-customca-b\.crt 644/);
      assert.match(ours.stderr, /kolla-customca-a\.crt contains more than certificates and keeps its mode 600/);
    });

  test('a link that leads outside is skipped and named; Kolla copies its target', { skip }, async () => {
    const line = `ln -s /etc/shadow /${CONFIG}/x.crt; ln -s ../../../../../etc/shadow /${CONFIG}/y.crt
      ln -s /${CONFIG}-other /${CONFIG}/z.crt; kolla_copy_cacerts; echo "code $?"; ${LIST}`;
    const secret = { text: 'root:secret', mode: 0o640 };
    const tree = { ...DEBIAN, [`${CONFIG}/a.crt`]: 'A', 'etc/shadow': secret, [`${CONFIG}-other`]: secret };
    const [theirs, ours] = await both(tree, line);
    assert.match(theirs.stdout, /kolla-customca-x\.crt 640 {2}root:secret/);
    assert.match(ours.stdout, /^updated\ncode 0\n/);
    assert.doesNotMatch(ours.stdout, /secret|[xyz]\.crt/);
    for (const name of ['x', 'y', 'z'])
      assert.match(
        ours.stderr,
        new RegExp(`ca-certificates/${name}\\.crt is a link to /\\S+, outside of this directory,`),
      );
  });

  test('the certificate directory may be a link of a ConfigMap', { skip }, async () => {
    const line = `cd /${CONFIG}/.. && mkdir ..1 && mv ca-certificates ..1/ && ln -s ..1 ..data && ln -s ..data/ca-certificates .
      kolla_copy_cacerts; echo "code $?"; ${LIST}`;
    const [theirs, ours] = await both({ ...DEBIAN, [`${CONFIG}/a.crt`]: 'A' }, line);
    assert.equal(ours.stdout, theirs.stdout);
    assert.match(ours.stdout, /kolla-customca-a\.crt 644 {2}A/);
  });

  test("a file name that the image's update would ignore is reported", { skip }, async () => {
    const [, ours] = await both({ ...DEBIAN, [`${CONFIG}/a.pem`]: 'A' });
    assert.match(ours.stderr, /kolla-customca-a\.pem is copied, but update-ca-certificates reads only/);
  });

  test('links of a ConfigMap are followed, and its dot directories are not', { skip }, async () => {
    const line = `cd /${CONFIG} && mkdir ..1 && mv a.crt ..1/ && ln -s ..1 ..data && ln -s ..data/a.crt a.crt && ln -s nowhere gone.crt
      kolla_copy_cacerts; echo "code $?"; ${LIST}`;
    const [theirs, ours] = await both({ ...DEBIAN, [`${CONFIG}/a.crt`]: 'A' }, line);
    assert.equal(ours.stdout, theirs.stdout);
    assert.match(ours.stdout, /kolla-customca-a\.crt 644 {2}A/);
  });
}

function testAlone({ alone, skip }: Sides): void {
  test("the image's own update adds the certificate to its bundle, and removes it", { skip }, async (t) => {
    const { certificate } = makeAuthority('a deployment');
    const line = `type -P update-ca-certificates > /dev/null || { echo none; exit; }
      mkdir -p /etc/ca-certificates/update.d /usr/share/ca-certificates 2> /dev/null
      kolla_copy_cacerts > /tmp/said && openssl verify -CAfile /etc/ssl/certs/ca-certificates.crt /${CONFIG}/a.crt
      readlink /etc/ssl/certs/kolla-customca-a.pem
      rm /${CONFIG}/a.crt; kolla_copy_cacerts > /tmp/said; ls /etc/ssl/certs/kolla* ${STORE}/kolla* 2> /dev/null | wc -l
      grep -c BEGIN /etc/ssl/certs/ca-certificates.crt`;
    const tree = {
      'etc/debian_version': '12\n',
      'etc/ca-certificates.conf': '',
      [`${CONFIG}/a.crt`]: certificate,
      [`${STORE.slice(1)}/theirs.crt`]: makeAuthority('somebody else').certificate,
    };
    const { stdout, stderr } = await alone(line, tree);
    if (stdout === 'none\n') return t.skip('no update-ca-certificates on this machine');
    const wanted = [`/${CONFIG}/a.crt: OK`, `${STORE}/kolla-customca-a.crt`, '0', '1', ''];
    assert.deepEqual(stdout.split('\n'), wanted, stderr);
  });

  test('through sudo, neither arguments nor environment have an effect', { skip }, async () => {
    const line = `export SUDO_UID=42425 KOLLA_POD_TERMINATION_LOG=/etc/victim KOLLA_POD_CONFIG=/secret
      kolla_copy_cacerts --config /secret --termination-log /etc/victim; echo "code $?"; cat /etc/victim`;
    const { stdout, stderr } = await alone(line, { 'etc/victim': 'untouched', secret: 'secret: [' });
    assert.equal(stdout, 'code 1\nuntouched', stderr);
    assert.doesNotMatch(stderr, /secret/);
  });

  test('on shutdown ends the update and its children, which ignore SIGTERM', { skip }, async () => {
    const update = `#!/bin/sh
      trap '' TERM; sleep infinity & echo $$ $! > /tmp/pids; wait`;
    const line = `mkfifo /tmp/pids; kolla_copy_cacerts & read -r update child < /tmp/pids
      kill -TERM $!; wait $!; echo "code $?"
      for pid in $update $child; do timeout 30 tail -s 0.1 --pid=$pid -f /dev/null && echo gone; done`;
    const tree = {
      ...DEBIAN,
      'usr/local/sbin/update-ca-certificates': { text: update, mode: 0o755 },
      [`${CONFIG}/a.crt`]: 'A',
    };
    const { stdout, stderr } = await alone(line, tree);
    assert.equal(stdout, 'code 143\ngone\ngone\n', stderr);
    assert.match(stderr, /ended by SIGTERM/);
  });

  test(
    'another user is told to run kolla_copy_cacerts as root, and only if certificates must be installed',
    { skip },
    async () => {
      assert.equal((await alone('kolla_copy_cacerts', DEBIAN, 42_425)).code, 0);
      const tree = { ...DEBIAN, [`${CONFIG}/a.crt`]: 'A' };
      const { code, stderr } = await alone('kolla_copy_cacerts', tree, 42_425);
      assert.equal(code, 77);
      assert.match(stderr, /run it as root/);
    },
  );
}
