/** Mount points and a full file system, in a temporary root: a rejected operation leaves no partial file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canThrowAwayRoots, inThrowAwayRoot } from '../throw-away-root.ts';
import { COMMAND, directories } from './ours.ts';

const skip = (await canThrowAwayRoots()) ?? false;
const CONFIG = 'var/lib/kolla/config_files';
const NAMES = Array.from({ length: 10 }, (_, i) => `${i}.conf`);
const BYTES = 6000;
const tree = {
  'etc/passwd': 'root:x:0:0::/root:/bin/sh\nkeystone:x:42425:42425::/:/bin/sh\n',
  'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
  'etc/service/0.conf': 'o'.repeat(BYTES),
  ...Object.fromEntries(NAMES.map((name) => [`${CONFIG}/${name}`, 'o'.repeat(BYTES)])),
  [`${CONFIG}/config.json`]: JSON.stringify({
    command: 'run',
    config_files: NAMES.map((name) => ({
      source: `/${CONFIG}/${name}`,
      dest: `/etc/service/${name}`,
      owner: 'keystone',
      perm: '0600',
    })),
  }),
  'usr/local/bin/kolla_set_configs': COMMAND,
};
const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };
/** Content, mode and owner of everything that is installed, one line each. */
const LIST = `(cd /etc; find service kolla -printf '%p %m %U ' -type f -exec sha256sum {} \\; -o -printf '%p\\n' | sort)`;
const NEW = `for f in /${CONFIG}/*.conf; do head -c ${2 * BYTES} /dev/zero | tr '\\0' n > $f; done`;

test('a file that is a mount point is rejected before anything is touched', { skip }, async () => {
  const line = `mount --bind /etc/service/0.conf /etc/service/0.conf; ${LIST} > /before
    kolla_set_configs; echo "code $?"; ${LIST} | diff /before - && echo untouched; ls /run_command`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { directories, tree, env });
  assert.equal(stdout, 'code 2\nuntouched\n', stderr);
  assert.match(stderr, /\/etc\/service\/0\.conf is a mount point.*mount the directory.*Nothing was touched/);
});

test('a mount point in a directory that would be deleted is rejected too', { skip }, async () => {
  const config = {
    command: 'run',
    config_files: [{ source: `/${CONFIG}`, dest: '/etc/service', owner: 'root', perm: '' }],
  };
  const line = `mount --bind /etc/service/0.conf /etc/service/0.conf
    echo '${JSON.stringify(config)}' > /${CONFIG}/config.json; rm /${CONFIG}/0.conf
    kolla_set_configs; echo "code $?"; cat /etc/service/0.conf | head -c 3; ls /run_command`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { directories, tree, env });
  assert.equal(stdout, 'code 2\nooo', stderr);
  assert.match(stderr, /\/etc\/service\/0\.conf is a mount point/);
});

test("another user's link in a source is followed if no process can write to its volume", { skip }, async () => {
  const line = `mkdir /vol; echo kept > /etc/kept; ln -s /etc/kept /vol/link; chown -h 42425 /vol/link
    sed 's|/${CONFIG}/0.conf|/vol/link|' /${CONFIG}/config.json > /new; cat /new > /${CONFIG}/config.json
    kolla_set_configs 2>&1 | grep -o 'source: /vol/link is a link to /etc/kept and is not followed'
    mount --bind /vol /vol; mount -o remount,ro,bind /vol
    kolla_set_configs 2> /said; echo "code $?"; cat /etc/service/0.conf; grep ERROR /said`;
  const { stdout } = await inThrowAwayRoot(line, { directories, tree, env });
  assert.equal(stdout, 'source: /vol/link is a link to /etc/kept and is not followed\ncode 0\nkept\n');
});

test('the content of a mounted directory is replaced in place', { skip }, async () => {
  const config = {
    command: 'run',
    config_files: [{ source: `/${CONFIG}`, dest: '/etc/service', owner: 'root', perm: '' }],
  };
  const line = `mount -t tmpfs tmpfs /etc/service; echo old > /etc/service/old
    echo '${JSON.stringify(config)}' > /${CONFIG}/config.json
    kolla_set_configs; echo "code $?"; ls /etc/service | tr '\\n' ' '; mountpoint -q /etc/service && echo mounted`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { directories, tree, env });
  assert.equal(stdout, `code 0\n${NAMES.join(' ')} config.json mounted\n`, stderr);
});

test('a full file system leaves every file complete, and the next start converges', { skip }, async () => {
  const sums = `sha256sum /etc/service/*.conf | cut -c1-64 | sort | uniq -c | wc -l; ls -A /etc/service | grep -c kolla-`;
  const line = `mount -t tmpfs -o size=96k tmpfs /etc/service; kolla_set_configs > /dev/null 2>&1; echo "code $?"
    ${NEW}; kolla_set_configs 2> /err; echo "code $?"; grep -c 'ENOSPC.*wholly old or wholly new' /err
    ${sums}; tail -n 1 /etc/kolla/defaults/state; echo
    stat -c '%a %u %s' /etc/service/*.conf | sort | uniq -c | sed 's/^ *//'
    mount -o remount,size=1m /etc/service; kolla_set_configs 2> /dev/null; echo "code $?"
    for f in /${CONFIG}/*.conf; do cmp $f /etc/service/$(basename $f) || echo differs; done`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { directories, tree, env });
  const lines = stdout.split('\n');
  assert.deepEqual(lines.slice(0, 3), ['code 0', 'code 2', '1'], stderr + stdout);
  assert.deepEqual(
    lines.slice(3, 6),
    ['2', '0', '}'],
    'every file is old or new, no temporary file is left, and the state is whole',
  );
  const kinds = lines.slice(6, -2).map((text) => text.replace(/^\d+ /, ''));
  assert.deepEqual(kinds, [`600 42425 ${2 * BYTES}`, `600 42425 ${BYTES}`]);
  assert.deepEqual(lines.slice(-2), ['code 0', '']);
});
