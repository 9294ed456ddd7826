import assert from 'node:assert/strict';
import { test } from 'node:test';
import { START_SCRIPT } from '../../../src/container/start/service.ts';
import type { Ours } from '../copy-cacerts/sides.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type InRoot, type Tree } from '../throw-away-root.ts';

export interface OurSudo extends Ours {
  /** The file that is copied with a set-id bit, and its arguments. */
  readonly raised: readonly [file: string, ...words: string[]];
  /** The limit of sudo's address space in KiB; undefined if there is none. */
  readonly addressSpace?: number;
}

const program = (text: string) => ({ text, mode: 0o755 });
const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nkeystone:x:42425:42425::/var/lib/keystone:/usr/sbin/nologin\n';
const EXTEND = 'usr/local/bin/kolla_extend_start';
const IMAGE: Tree = {
  'etc/passwd': PASSWD,
  'etc/group': 'root:x:0:\nkolla:x:42400:keystone\nkeystone:x:42425:\n',
  'usr/local/bin/keystone-manage': program(
    '#!/bin/bash\necho "$(id -un) $(id -gn) home=$HOME secret=${OS_PASSWORD-unset} open=$(ulimit -Sn) $*"\n' +
      "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status\nexit 4\n",
  ),
  [EXTEND]: '',
};

/** Every case, as tests of the calling file. */
export async function testSudo(ours: OurSudo): Promise<void> {
  const skip = ours.missing ?? (await canThrowAwayRoots()) ?? false;
  const image: Tree = { ...IMAGE, 'usr/local/bin/sudo': program(`#!/bin/bash\nexec ${ours.line} "$@"\n`) };

  function within(line: string, more: Tree = {}, options: Partial<InRoot> = {}) {
    const env = { OS_PASSWORD: 'hidden', HOME: '/nowhere', ...options.env };
    return inThrowAwayRoot(line, {
      uid: 42_425,
      noNewPrivileges: true,
      directories: ours.directories,
      ...options,
      env,
      tree: { ...image, ...more },
    });
  }

  test('sudo -H -u keystone runs the command as keystone, and returns its exit code', { skip }, async () => {
    const { code, stdout, stderr } = await within('sudo -H -u keystone keystone-manage db_sync --expand');
    assert.match(
      stdout,
      /^keystone keystone home=\/var\/lib\/keystone secret=unset open=\d+ db_sync --expand\n/,
      stderr,
    );
    assert.equal(code, 4);
  });

  test('-E passes the environment on', { skip }, async () => {
    assert.match((await within('sudo -E -u keystone keystone-manage')).stdout, /home=\/nowhere secret=hidden/);
  });

  test("the command has the caller's signals and limits", { skip }, async () => {
    // `exit` comes last, because bash would execute the last command in its own process; the process whose limit sudo
    // reads must still exist.
    const line = (sudo: string) => `ulimit -Sn 300; ${sudo} keystone-manage; exit $?`;
    const [said, direct] = [await within(line('sudo -E -u keystone')), await within(line(''))];
    assert.match(said.stdout, /open=300 /, said.stderr);
    assert.equal(said.stdout, direct.stdout);
  });

  test('root drops to the user, with its groups', { skip }, async () => {
    const { stdout, stderr } = await within("sudo -u keystone sh -c 'id -u; id -G'", {}, { uid: 0 });
    assert.equal(stdout, '42425\n42425 42400\n', stderr);
  });

  test("a command that needs root is rejected with the extend script's command", { skip }, async () => {
    const more = { [EXTEND]: '#!/bin/bash\n\nD=/var/lib/etcd\nsudo chown etcd: ${D}\n', 'start.sh': START_SCRIPT };
    const line = `bash -c "$(cat /start.sh; echo x)" kolla_start /etc/passwd nobody ''`;
    const said = await within(line, more);
    assert.equal(said.code, 1);
    assert.match(said.stderr, /^sudo: a script asks for root to run 'chown etcd: \/var\/lib\/etcd'/m);
  });

  test("kolla-ansible's one-shot line runs without root after kolla-init", { skip }, async () => {
    const line = 'sudo -E kolla_set_configs && sudo -E kolla_copy_cacerts && keystone-manage fernet_setup';
    const { code, stderr } = await within(line, { 'run/kolla/run_command': 'x' });
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^sudo: kolla_set_configs is not needed: kolla-init has done it.*\nsudo: kolla_copy_cacerts is not/,
    );
    const unprepared = await within(line);
    assert.equal(unprepared.code, 1);
    assert.match(unprepared.stderr, /^sudo: a script asks for root .*run kolla-init in an init container/);
  });

  test('a missing or non-executable command fails as in a shell', { skip }, async () => {
    const { stderr } = await within('sudo -u keystone no-such; echo $? >&2; sudo -u keystone /etc/passwd; echo $? >&2');
    assert.equal(stderr, 'sudo: no-such: command not found\n127\nsudo: /etc/passwd: Permission denied\n126\n');
  });

  test('a full disk or a closed stdout is handled by the command itself', { skip }, async () => {
    const line = (sudo: string) =>
      `${sudo} bash -c 'echo x; echo "wrote $?" >&2' > /dev/full; ${sudo} true >&-; echo "$?"`;
    const [said, direct] = [await within(line('sudo -E -u keystone')), await within(line(''))];
    assert.match(said.stderr, /wrote 1/);
    assert.deepEqual([said.stdout, said.stderr], [direct.stdout, direct.stderr]);
  });

  test('no command runs set-uid or set-gid, since any user would become root', { skip }, async () => {
    // A copy in the root's own file system, with the set-id bit that a careless image might set.
    const [file, ...words] = ours.raised;
    const line = `setpriv --reuid 42425 --regid 42425 --clear-groups /tmp/sudo ${words.join(' ')} id`;
    const prepare = `cp '${file}' /tmp/sudo && chmod 4755 /tmp/sudo`;
    const { code, stdout, stderr } = await within(`${prepare} && ${line}`, {}, { uid: 0, noNewPrivileges: false });
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /^sudo: its file has a set-id bit/);
  });

  const WRAPPED = {
    'usr/local/bin/keystone-rootwrap': program('#!/bin/bash\nenv -u _ | sort; id -u; printf "<%s>" "$@"; exit 99\n'),
  };
  test(
    `a service's rootwrap runs as the service, in ${ours.addressSpace ?? 'any'} KiB of address space`,
    { skip },
    async () => {
      const line = (sudo: string) => `${sudo} keystone-rootwrap /etc/rootwrap.conf cat 'a  b' '' '*'; echo " $?"`;
      const env = { LANG: 'C.UTF-8', TZ: 'UTC', LC_ALL: 'C', TERM: 'xterm', LD_PRELOAD_X: 'x', user: 'x', kept: 'x' };
      const limit = ours.addressSpace ?? 'unlimited';
      const { stdout, stderr } = await within(`ulimit -v ${limit}; ${line('sudo')}`, WRAPPED, { env });
      assert.match(stdout, /\n42425\n<\/etc\/rootwrap.conf><cat><a {2}b><><\*> 99\n$/, stderr);
      assert.match(stdout, /^HOME=\/var\/lib\/keystone\nLANG=C.UTF-8\nLC_ALL=C\nLOGNAME=keystone\nPATH=/, stderr);
      assert.doesNotMatch(stdout, /^(?:LD_PRELOAD_X|user|kept)=/m);
      assert.equal(stderr, '');
    },
  );

  test('a chown is rejected with its replacement', { skip }, async () => {
    const refused = await within('sudo chown root /x; exit $?');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^sudo: a script asks for root to run 'chown root \/x'.*let kolla-init do it/);
  });

  test(
    'a privsep-helper that would need root is rejected immediately, since oslo.privsep waits for it forever',
    { skip },
    async () => {
      const { code, stdout, stderr } = await within('sudo keystone-rootwrap /c privsep-helper --x; exit $?', WRAPPED);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^sudo: .*'capabilities =' and 'helper_command = privsep-helper --config-file FILE'\n$/);
    },
  );
}
