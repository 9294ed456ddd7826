import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Finished } from '../../../tools/process.ts';
import type { Ours } from '../copy-cacerts/sides.ts';
import { canHaveKolla, kollaPackage } from '../kolla-package.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type InRoot, type Tree } from '../throw-away-root.ts';

export interface OurStart extends Ours {
  /** Whether the service inherits signals that are ignored or blocked, and descriptors above 2. On Node it does not. */
  readonly handsOn: boolean;
}

const program = (text: string) => ({ text, mode: 0o755 });

/** Stubs for the commands of a Kolla image other than kolla_start, which do only what the next step needs. */
const IMAGE: Tree = {
  'etc/debian_version': '12\n',
  run_command: { text: 'of an earlier start', mode: 0o666 },
  'usr/local/bin/sudo': program('#!/bin/bash\nif [[ $1 == -E ]]; then shift; fi\nexec "$@"\n'),
  'usr/local/bin/kolla_set_configs': program(
    '#!/bin/sh\nif test -e /set-configs-code; then exit "$(cat /set-configs-code)"; fi\ncat /command > /run_command\n',
  ),
  'usr/local/bin/kolla_copy_cacerts': program('#!/bin/sh\nexit "$(cat /cacerts-code 2> /dev/null || echo 0)"\n'),
  'usr/local/bin/kolla_install_projects': program('#!/bin/sh\nls /dev-mode 2> /dev/null\ntrue\n'),
  'usr/local/bin/kolla_extend_start': '',
  'usr/local/bin/tell': program(`#!/bin/bash
    printf '[%s]' "$@"; echo; pwd; umask; env -0 | sort -z | tr '\\0' '\\n'
    grep -E '^(Sig(Blk|Ign|Cgt)|Uid)' /proc/self/status; cat /proc/self/limits; for i in 0 1 2; do grep flags /proc/$$/fdinfo/$i; done
    ls /proc/$$/fd; exit 5\n`),
};
const CONFIG = 'var/lib/kolla/config_files/config.json';
const EXTEND = 'usr/local/bin/kolla_extend_start';

/** Every start, with Kolla's start.sh and with ours, as tests of the calling file. */
export async function testAsKolla(ours: OurStart): Promise<void> {
  const missing = ours.missing ?? (await canThrowAwayRoots()) ?? (await canHaveKolla());
  const skip = missing ?? false;
  const reference = missing === undefined ? await readFile(join(await kollaPackage(), 'base/start.sh'), 'utf8') : '';
  // bash, because sh drops variables that are not valid shell names.
  const script = `#!/bin/bash\nexec ${ours.line} "$@"\n`;

  /** Kolla's result and ours, by default with output to a pipe, as in a container. */
  async function both(
    more: Tree,
    {
      line = 'kolla_start one "t w o" | cat; exit ${PIPESTATUS[0]}',
      ...options
    }: Partial<InRoot> & { line?: string } = {},
  ): Promise<[Finished, Finished]> {
    const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...options.env };
    const start = (text: string) => {
      const tree: Tree = { command: 'tell', ...IMAGE, 'usr/local/bin/kolla_start': program(text), ...more };
      const config = { [CONFIG]: JSON.stringify({ command: tree['command'] }) };
      return inThrowAwayRoot(line, {
        uid: 42_425,
        directories: ours.directories,
        ...options,
        env,
        tree: { ...config, ...tree },
      });
    };
    return await Promise.all([start(reference), start(script)]);
  }

  async function same(more: Tree, options: Parameters<typeof both>[1] = {}): Promise<Finished> {
    const [theirs, our] = await both(more, options);
    assert.equal(our.stdout, theirs.stdout, our.stderr);
    assert.equal(our.code, theirs.code, our.stderr);
    return our;
  }

  for (const [name, more, code] of [
    ['a plain command', {}, 5],
    ['one or two trailing newlines', { command: 'tell a\n\n' }, 5],
    ['several spaces, tabs and lines between words', { command: '  tell   a \t b\n c ' }, 5],
    [
      'quotes, variables, tildes and substitutions, which stay literal',
      { command: `tell "a b" 'c' $HOME ~ $(id) \\ ; x` },
      5,
    ],
    ['a pattern that matches and one that does not', { command: 'tell /etc/deb* /nope* [a]', 'etc/debian_x': '' }, 5],
    ['letters beyond ASCII', { command: 'tell äöü 日本' }, 5],
    ['an empty command', { command: '' }, 0],
    ['a command of only spaces', { command: ' \n' }, 0],
    ['a missing program', { command: '/no/such/program' }, 127],
    ['an unknown command name', { command: 'no-such-program' }, 127],
    ['a directory', { command: '/etc' }, 126],
    ['a file without x bit', { command: '/etc/debian_version' }, 126],
    ['an extend script that sets CMD and ARGS', { [EXTEND]: 'CMD="tell x"; ARGS="--a  b /etc/deb*"' }, 5],
    ['an extend script that only adds to ARGS', { [EXTEND]: 'ARGS="$ARGS --new"' }, 5],
    ['an extend script that exports and unsets', { [EXTEND]: 'export A=1 B="x y" LANG=C.UTF-8; unset HOME; C=3' }, 5],
    ['an extend script that changes directory', { [EXTEND]: 'cd /var/lib' }, 5],
    ['an extend script that sets the umask', { [EXTEND]: 'umask 027' }, 5],
    ['an extend script that lowers limits', { [EXTEND]: 'ulimit -Sn 64; ulimit -c 0; ulimit -s 4096' }, 5],
    ['an extend script that ignores a signal', { [EXTEND]: "trap '' HUP PIPE" }, 5],
    [
      'an extend script that prints something and exits with 0, as bootstrap does',
      { [EXTEND]: 'echo done; exit 0' },
      0,
    ],
    ['an extend script that exits with another code', { [EXTEND]: 'exit 9' }, 9],
    ['an extend script that returns', { [EXTEND]: 'CMD="tell r"; return 0; CMD=false' }, 5],
    ['an extend script that fails under errexit', { [EXTEND]: 'false; echo not reached' }, 1],
    ['an extend script whose pipe fails', { [EXTEND]: 'false | true; echo not reached' }, 1],
    ['an extend script that uses an unset variable', { [EXTEND]: 'echo $NOT_SET; echo not reached' }, 1],
    ['an extend script that turns errexit off', { [EXTEND]: 'set +o errexit; false; echo reached' }, 5],
    ['an extend script that is not a shell script', { [EXTEND]: 'if then' }, 2],
    [
      'an extend script that reads its arguments',
      { [EXTEND]: 'printf "<%s>" "$0" "$#" "$@"; shift; CMD="tell $1"' },
      5,
    ],
    ['an extend script that opens a file for its service', { [EXTEND]: 'exec 7< /etc/debian_version' }, 5],
    [
      'an extend script that sources another, found on the PATH',
      { [EXTEND]: '. kolla_leaf_extend_start', 'usr/local/bin/kolla_leaf_extend_start': 'export LEAF=1' },
      5,
    ],
    ['an invalid configuration', { [CONFIG]: '{', 'set-configs-code': '1' }, 1],
  ] as const satisfies readonly (readonly [string, Tree, number])[]) {
    for (const uid of [0, 42_425])
      test(`as uid ${uid} the service gets the same state as from Kolla's start.sh: ${name}`, { skip }, async () => {
        assert.equal((await same(more, { uid })).code, code);
      });
  }

  for (const [name, options] of Object.entries<Parameters<typeof both>[1]>({
    'KOLLA_SKIP_EXTEND_START, even empty': { env: { KOLLA_SKIP_EXTEND_START: '' } },
    'another umask, directory and soft limit of the caller': {
      line: 'umask 077; cd /tmp; ulimit -Sn 300; ulimit -c 0; kolla_start < /dev/null | cat; exit ${PIPESTATUS[0]}',
    },
    'a lower hard limit': { line: 'ulimit -Sn 300; ulimit -Hn 512; kolla_start | cat; exit ${PIPESTATUS[0]}' },
    'odd variables': {
      env: { 'A.B': '1', EMPTY: '', NL: 'a\nb', BASH_ENV: '/etc/bash_env', 'BASH_FUNC_f%%': '() { :; }' },
    },
    'TLS and Node variables, which are meant for the service': {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_PATH: '/x' },
    },
  })) {
    test(`the caller's state reaches the service: ${name}`, { skip }, async () => {
      await same({ [EXTEND]: 'export EXTENDED=1', 'etc/bash_env': 'export FROM_BASH_ENV=1' }, options);
    });
  }

  const told = ours.handsOn ? 'come through' : 'end with our node; Kolla hands them on';
  test(`the caller's ignored or blocked signals, and descriptors above 2, ${told}`, { skip }, async () => {
    const line = `trap '' HUP; exec 8< /etc/debian_version
    env --block-signal=USR2 kolla_start | cat; exit \${PIPESTATUS[0]}`;
    if (ours.handsOn) {
      assert.match((await same({}, { line })).stdout, /^8$/m);
      return;
    }
    const [theirs, our] = await both({}, { line });
    // USR2 and HUP only: the tests' parent may ignore others, such as the C library's 32.
    assert.match(theirs.stdout, /SigBlk:\t[0-9a-f]*[89a-f]..\nSigIgn:\t[0-9a-f]*[13579bdf]\n[^]*^8$/m, theirs.stderr);
    assert.match(our.stdout, /SigBlk:\t[0-9a-f]*[0-7]..\nSigIgn:\t[0-9a-f]*[02468ace]\n/, our.stderr);
    assert.doesNotMatch(our.stdout, /^8$/m);
  });

  test(
    'an image that Kolla did not build fails as with Kolla, and learns which variable to set',
    { skip },
    async () => {
      const line = `rm /${EXTEND}; kolla_start`;
      const our = await same({}, { uid: 0, line });
      assert.equal(our.code, 1);
      assert.match(our.stderr, /no kolla_extend_start in PATH: .* KOLLA_SKIP_EXTEND_START=1/);
      const { code, stderr } = await same({}, { uid: 0, line: `export KOLLA_SKIP_EXTEND_START=; ${line}` });
      assert.equal(code, 5);
      assert.doesNotMatch(stderr, /extend_start/);
    },
  );

  test('a failing kolla_copy_cacerts ends the start with its exit code', { skip }, async () => {
    assert.equal((await same({ 'cacerts-code': '4' })).code, 4);
  });

  test('projects in /dev-mode are installed first, as in Kolla', { skip }, async () => {
    const more = { 'dev-mode/nova/setup.cfg': '', 'var/lib/kolla/venv/x': '' };
    assert.match((await same(more)).stdout, /^nova\n/);
    assert.match((await same(more, { uid: 0 })).stdout, /^nova\n/);
  });

  const NO_SUDO = 'usr/local/bin/sudo';

  test('prepared by kolla-init, kolla_start needs no root, no sudo and no privileges', { skip }, async () => {
    const more = { [NO_SUDO]: 'not executable', 'run/kolla/run_command': 'tell prepared\n' };
    const [, our] = await both(more, { noNewPrivileges: true });
    assert.equal(our.code, 5, our.stderr);
    assert.match(our.stdout, /Running command: 'tell prepared'\n\[prepared\]\n/);
  });

  test('prepared by kolla-init, kolla_start does not call sudo even if it could', { skip }, async () => {
    const [, our] = await both({ 'set-configs-code': '1', 'run/kolla/run_command': 'tell' });
    assert.equal(our.code, 5, our.stderr);
  });

  test("as root, kolla_start takes kolla-init's command from a read-only mount only", { skip }, async () => {
    const more = { 'run/kolla/run_command': 'tell prepared\n' };
    const seal = 'mount --bind /run/kolla /run/kolla; mount -o remount,bind,ro /run/kolla';
    const [, sealed] = await both(more, { uid: 0, line: `${seal}; rm /${CONFIG}; kolla_start` });
    assert.equal(sealed.code, 5, sealed.stderr);
    assert.match(sealed.stdout, /Running command: 'tell prepared'\n\[prepared\]\n/);
    const [, open] = await both(more, { uid: 0 });
    assert.equal(open.code, 5, open.stderr);
    assert.match(open.stdout, /Running command: 'tell'\n/);
  });

  test(
    'unprepared, without sudo or privileges, kolla_start reports what is missing and the fix',
    { skip },
    async () => {
      const [, without] = await both({ [NO_SUDO]: 'not executable' });
      const [, locked] = await both({}, { noNewPrivileges: true });
      for (const { code, stderr } of [without, locked]) {
        assert.equal(code, 69, stderr);
        assert.match(
          stderr,
          /configuration is not installed.*\/run\/kolla\/run_command does not exist.*run kolla-init/,
        );
      }
      assert.match(locked.stderr, /allowPrivilegeEscalation: false/);
    },
  );

  test('prepared for another user, kolla_start names the user that may read the command', { skip }, async () => {
    const [, { code, stderr }] = await both({ 'run/kolla/run_command': { text: 'tell', mode: 0o600 } });
    assert.equal(code, 77);
    assert.match(stderr, /uid 42425 may not read \/run\/kolla\/run_command.*fsGroup/);
  });

  test('without root kolla_start reports that certificates are not added', { skip }, async () => {
    const [, { stderr }] = await both({
      'run/kolla/run_command': 'tell',
      'var/lib/kolla/config_files/ca-certificates/a.crt': 'A',
    });
    assert.match(stderr, /certificates in .* are not added/);
  });
}
