import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canBuildKeystoneImage, keystoneImage } from '../cluster/keystone-image.ts';
import { keystoneConf, uwsgiIni } from '../cluster/keystone.ts';
import { KEYSTONE_UID } from '../cluster/kolla-layout.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, run, start, tailOf, tied, type Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';
const TRY_MS = 5000;

/** Settings of a hardened Pod: read-only root with a few volumes, no privilege escalation and no capabilities. */
const AS_IN_A_POD = `
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1/etc/keystone"
mount --bind "$3" "$1/var/log/kolla"
mount -t tmpfs tmpfs "$1/tmp"
mount -t proc proc "$1/proc"
root=$1
shift 3
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid \
  chroot --userspec=${KEYSTONE_UID}:${KEYSTONE_UID} --groups=42400 "$root" "$@"`;

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];

async function canMount(): Promise<string | undefined> {
  const tried = await run('unshare', [...NAMESPACES, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'no mount namespace here in which uid 42425 could be tried';
}

describe("Keystone's image", { skip: (await canMount()) ?? (await canBuildKeystoneImage()) ?? false }, () => {
  let directory: Directory;
  let root: string;
  const volumes = { etc: '', logs: '' };

  /** The command line of the container, run without an engine. */
  const inside = (...words: string[]): [string, string[]] => [
    'unshare',
    [...NAMESPACES, 'sh', '-euc', AS_IN_A_POD, 'pod', root, volumes.etc, volumes.logs, ...words],
  ];
  const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
  const runInside = (...words: string[]): Promise<Finished> => run(...inside(...words), { env });

  before(async () => {
    directory = await privateDirectory('image');
    root = join(directory.path, 'root');
    volumes.etc = join(directory.path, 'etc');
    volumes.logs = join(directory.path, 'logs');
    await chmod(directory.path, 0o755);
    for (const path of [root, ...Object.values(volumes)]) await mkdir(path);
    for (const path of Object.values(volumes)) await chown(path, KEYSTONE_UID, KEYSTONE_UID);
    // The binary's own test covers the commands; this checks that the image finds and runs them.
    const binary = join(directory.path, 'binary');
    const script = '#!/bin/sh\necho "${0##*/} of kolla-pod"\n';
    for (const path of [binary, join(directory.path, 'kolla-core')]) await writeFile(path, script);
    const image = join(directory.path, 'image.tar');
    await keystoneImage(image, { binary });
    await must('tar', ['-xf', image, '-C', directory.path]);
    const [manifest] = JSON.parse(await readFile(join(directory.path, 'manifest.json'), 'utf8')) as [
      { Layers: string[] },
    ];
    for (const layer of manifest.Layers) {
      await must('tar', [
        '-xpf',
        join(directory.path, layer),
        '--numeric-owner',
        '--keep-directory-symlink',
        '-C',
        root,
      ]);
    }
  });
  after(async () => await directory[Symbol.asyncDispose]());

  test('runs keystone-manage as uid 42425 without privileges', async () => {
    const { code, stdout, stderr } = await runInside('keystone-manage', '--version');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\d+\.\d+\.\d+/);
    const status = await runInside('cat', '/proc/self/status');
    assert.match(status.stdout, /^Uid:\s+42425\s/m);
    assert.match(status.stdout, /^CapEff:\s+0+$/m);
    assert.match(status.stdout, /^NoNewPrivs:\s+1$/m);
  });

  test('lets its user write only to the volumes', async () => {
    const { code, stderr } = await runInside(
      'sh',
      '-c',
      'touch /etc/keystone/a /var/log/kolla/a /tmp/a && touch /usr/a',
    );
    assert.equal(code, 1);
    assert.match(stderr, /\/usr\/a.*Read-only file system/);
  });

  test("has kolla-pod's commands on its PATH, and Kolla's uid and groups", async () => {
    const { stdout, stderr } = await runInside('bash', '-c', 'kolla-pod && kolla-init && kolla-probe && id');
    const id = 'uid=42425(keystone) gid=42425(keystone) groups=42425(keystone),42400(kolla)';
    assert.equal(stdout, `kolla-pod of kolla-pod\nkolla-init of kolla-pod\nkolla-probe of kolla-pod\n${id}\n`, stderr);
  });

  test("has Kolla's log directory: owned by root, writable for the group kolla, with the setgid bit", async () => {
    const { uid, gid, mode } = await stat(join(root, 'var/log/kolla'));
    assert.deepEqual([uid, gid, mode & 0o7777], [0, 42_400, 0o2775]);
    assert.equal((await stat(root)).mode & 0o777, 0o755);
  });

  test('serves /v3 with its uWSGI, without a file of this machine', async () => {
    const port = await freePort();
    const conf = {
      connection: 'mysql+pymysql://nobody@127.0.0.1:9/none',
      keys: '/etc/keystone',
      logDirectory: '/var/log/kolla',
    };
    await writeFile(join(volumes.etc, 'keystone.conf'), keystoneConf(conf));
    await writeFile(join(volumes.etc, 'uwsgi.ini'), uwsgiIni('127.0.0.1', port));
    const manage = ['keystone-manage', '--config-file', '/etc/keystone/keystone.conf'];
    const owner = ['--keystone-user', 'keystone', '--keystone-group', 'keystone'];
    const { code, stderr } = await runInside(...manage, 'fernet_setup', ...owner);
    assert.equal(code, 0, stderr);
    const logFile = join(directory.path, 'uwsgi.log');
    const command = inside('uwsgi', '--ini', '/etc/keystone/uwsgi.ini');
    await using api = await start(...tied(...command), { env, logFile });
    const answer = await until('Keystone to answer', async () => {
      if (api.child.exitCode !== null) throw new Error(`it ended: ${tailOf(logFile)}`);
      const signal = AbortSignal.timeout(TRY_MS);
      return await fetch(`http://127.0.0.1:${port}/v3`, { signal }).catch(() => undefined);
    });
    assert.equal(answer.status, 200, tailOf(logFile));
    const { version } = (await answer.json()) as { version: { id: string } };
    assert.match(version.id, /^v3/);
  });
});
