/**
 * Kolla's sudoers let a service's user run two names as root with any environment. Both are links to kolla-core, which
 * reads one variable of that environment.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { canHaveKolla, kollaPackage } from '../contract/kolla-package.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from '../contract/throw-away-root.ts';
import type { Finished } from '../../tools/process.ts';

const skip = (await canThrowAwayRoots()) ?? (await canUnpackDebian()) ?? (await canHaveKolla()) ?? false;
/** sudo with its libraries, except those present on every machine of the same release. */
const SUDO = ['sudo', 'libpam0g', 'libpam-modules', 'libaudit1', 'libcap-ng0', 'libselinux1', 'libpcre2-8-0'];
const ALLOWED = ['auth', 'account', 'session'].map((what) => `${what} required pam_permit.so\n`).join('');

let dist: string;
let packages: string;
before(async () => {
  if (skip !== false) return;
  dist = (await podBinary()).directory;
  packages = await unpackedPackages('sudo', SUDO, { dependencies: false });
  const sudoers = await readFile(join(await kollaPackage(), 'base/sudoers'), 'utf8');
  IMAGE['etc/sudoers'] = { text: sudoers, mode: 0o440 };
});

const CONFIG = 'var/lib/kolla/config_files';
const MARKER = 'require("fs").writeFileSync("/trap/marker", "")';
const OTHER = {
  command: 'other',
  config_files: [{ source: '/trap/shadow', dest: '/etc/passwd', owner: 'root', perm: '0644' }],
};
const IMAGE: Record<string, Tree[string]> = {
  'etc/debian_version': '12\n',
  'etc/hostname': 'localhost\n',
  'etc/hosts': '127.0.0.1 localhost\n',
  'etc/pam.d/sudo': ALLOWED,
  'etc/passwd': 'root:x:0:0::/root:/bin/bash\nkeystone:x:42425:42425::/:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nkolla:x:42400:keystone\nkeystone:x:42425:\n',
  [`${CONFIG}/config.json`]: JSON.stringify({
    command: 'own',
    config_files: [{ source: '/var/lib/kolla/config_files/a.conf', dest: '/etc/a.conf', owner: 'root', perm: '0600' }],
  }),
  [`${CONFIG}/a.conf`]: 'a',
  // Files of the caller that root must not read, load or write.
  'trap/config.json': JSON.stringify(OTHER),
  'trap/shadow': 'mine',
  'trap/marker.cjs': MARKER,
  'trap/broken.cnf': 'nodejs_conf = [\n[',
  'trap/var/lib/kolla/config_files/config.json': JSON.stringify(OTHER),
};

/**
 * Runs the command as keystone through Debian's sudo, with Kolla's sudoers and `-E`, and returns the files afterwards.
 */
async function raised(env: NodeJS.ProcessEnv): Promise<Finished> {
  const line = `for name in kolla_set_configs kolla_copy_cacerts; do
      /usr/bin/ln -s '${dist}/bin/'$name /usr/local/bin/
      /usr/bin/setpriv --reuid 42425 --regid 42425 --groups 42400 /usr/bin/sudo -E $name; echo "$name $?"; done
    PATH=/usr/bin:/bin; cat /run_command /etc/a.conf /etc/passwd; stat -c '%a %n' /etc/a.conf; find / -xdev -not -path '/tmp/*' | sort`;
  const all = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...env };
  const { stderr, ...rest } = await inThrowAwayRoot(line, { tree: IMAGE, directories: [dist], packages, env: all });
  return { ...rest, stderr: stderr.replaceAll(/^[-\d]+ [:.\d]+ /gm, '') };
}

/** The result without any of the variables that the tests below set. */
let plain: Promise<Finished>;
test('through sudo, kolla_set_configs and kolla_copy_cacerts work', { skip }, async () => {
  plain = raised({});
  const { stdout, stderr } = await plain;
  assert.match(stdout, /^kolla_set_configs 0\nkolla_copy_cacerts 0\nownaroot:x:0/, stderr);
  assert.match(stdout, /^600 \/etc\/a\.conf$/m);
});

for (const [name, value] of Object.entries({
  KOLLA_CONFIG: JSON.stringify(OTHER),
  KOLLA_CONFIG_FILE: '/trap/config.json',
  KOLLA_ROOT: '/trap',
  KOLLA_INIT_CONFIG_JSON: '/trap/config.json',
  KOLLA_POD_CONFIG: '/trap/config.json',
  NODE_OPTIONS: '--require=/trap/marker.cjs',
  NODE_V8_COVERAGE: '/trap/coverage',
  OPENSSL_CONF: '/trap/broken.cnf',
  TZ: ':/trap/broken.cnf',
  PATH: '/trap',
})) {
  test(`through sudo, ${name} changes nothing and writes nothing`, { skip }, async () => {
    assert.deepEqual(await raised({ [name]: value }), await plain);
  });
}

test('through sudo, no variable named anywhere in the file has an effect', { skip }, async (t) => {
  const own = new Set(['KOLLA_CONFIG_STRATEGY', 'SUDO_UID', 'PATH']);
  const text = (await readFile(join(dist, 'kolla-core'))).toString('latin1');
  const names = new Set(
    [...text.matchAll(/(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{1,40}(?![A-Za-z0-9_])/g)].map(([name]) => name),
  );
  // bash sets the variables, and some of its own cannot be set.
  const all = [...names].filter(
    (name) => !own.has(name) && !/^(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|HOME|BASH.*)$/.test(name),
  );
  t.diagnostic(`${all.length} names`);
  assert.ok(all.includes('TZ') && all.includes('KOLLA_POD_CONFIG'), 'the file contains the names that it reads');
  const env = Object.fromEntries(all.map((name) => [name, '/trap/config.json']));
  assert.deepEqual(await raised(env), await plain);
});

test('without kolla-core, kolla-pod installs nothing that sudo runs as root', { skip }, async () => {
  const line = `/usr/bin/mkdir /tmp/alone; /usr/bin/cp '${dist}/kolla-pod' /tmp/alone/; /tmp/alone/kolla-pod install /opt/kolla-pod
    /usr/bin/ln -s /opt/kolla-pod/bin/* /usr/local/bin/; echo "init $(/usr/local/bin/kolla-init --version)"
    export OPENSSL_CONF=/trap/broken.cnf
    for name in kolla_set_configs kolla_copy_cacerts; do
      /usr/bin/setpriv --reuid 42425 --regid 42425 --groups 42400 /usr/bin/sudo -E $name; echo "$name $?"; done`;
  const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };
  const { stdout, stderr } = await inThrowAwayRoot(line, { tree: IMAGE, directories: [dist], packages, env });
  assert.match(stderr, /no links kolla_set_configs, kolla_copy_cacerts/);
  assert.match(stderr, /sudo: kolla_set_configs: command not found/);
  assert.match(stdout, /^init kolla-init .*\nkolla_set_configs 1\nkolla_copy_cacerts 1\n$/, stderr);
});

test(
  "through sudo, kolla-pod does not run under the names of Kolla's tools, and points to kolla-core",
  { skip },
  async () => {
    const links = `ln -s '${dist}/kolla-pod' /tmp/kolla_set_configs; ln -s '${dist}/kolla-pod' /tmp/kolla_copy_cacerts`;
    const line = `${links}; for name in kolla_set_configs kolla_copy_cacerts; do /tmp/$name; echo $?; done; ls /run_command`;
    const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', SUDO_UID: '42425' };
    const { stdout, stderr } = await inThrowAwayRoot(line, { tree: IMAGE, directories: [dist], env });
    assert.equal(stdout, '77\n77\n', stderr);
    assert.match(stderr, /^kolla_set_configs: kolla-pod does not run through sudo.*link this name to kolla-core/m);
    const person = await inThrowAwayRoot(`'${dist}/kolla-pod' kolla-init --help > /dev/null; echo $?`, {
      tree: IMAGE,
      directories: [dist],
      env,
    });
    assert.equal(person.stdout, '0\n', person.stderr);
    const root = await inThrowAwayRoot(`${links}; /tmp/kolla_set_configs 2> /dev/null; echo $?`, {
      tree: IMAGE,
      directories: [dist],
      env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' },
    });
    assert.equal(root.stdout, '0\n', root.stderr);
  },
);
