import assert from 'node:assert/strict';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Difference } from '../../../src/config/check/index.ts';
import { randomDocument } from '../../config/check/random-document.ts';
import { canGiveFilesAway } from '../../../tools/capability.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS, logLines, runHelper } from '../../support/helper.ts';
import { must, run } from '../../../tools/process.ts';
import { randomFrom } from '../../support/random.ts';

const CONF = '[DEFAULT]\ndebug = true\nmy_ip = 10.0.0.3\n\n[database]\nconnection = mysql://nova:hunter2@db/nova\n';

/** A Pod whose configuration kolla-init has installed. */
async function pod(command = 'nova-api') {
  const directory = await privateDirectory('check');
  const [root, config, podFile] = ['root', 'config', 'kolla-pod.yaml'].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  const { uid, gid } = userInfo();
  await mkdir(join(root, 'etc'), { recursive: true });
  await mkdir(join(root, 'run/kolla'), { recursive: true });
  await mkdir(join(config, 'templates'), { recursive: true });
  await writeFile(join(root, 'etc/passwd'), `nova:x:${uid}:${gid}::/:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `nova:x:${gid}:\n`);
  await writeFile(join(config, 'nova.conf'), CONF);
  await writeFile(join(config, 'logo.png'), Buffer.from([0x89, 0, 1]));
  await writeFile(join(config, 'templates/a.txt'), 'one\ntwo\n');
  const file = (name: string, perm: string) => ({
    source: `/var/lib/kolla/config_files/${name}`,
    dest: `/etc/nova/${name}`,
    owner: 'nova',
    perm,
  });
  const document = {
    command,
    config_files: [file('nova.conf', '0644'), file('logo.png', '0600'), file('templates', '0644')],
  };
  const write = () => writeFile(join(config, 'config.json'), JSON.stringify(document));
  await write();
  await writeFile(podFile, '{}');
  const args = ['--root', root, '--config-dir', config, '--config', podFile];
  const first = await runHelper('kolla-init', args);
  assert.equal(first.code, 0, first.stderr);
  return {
    root,
    config,
    podFile,
    document,
    write,
    run: join(root, 'run/kolla/run_command'),
    at: (name: string) => join(root, 'etc/nova', name),
    check: (...more: string[]) =>
      runHelper('kolla-init', ['check', ...args, ...more], { env: { POD_IP: '10.0.0.4', DB_PASSWORD: 'hunter2' } }),
    /** Every path of the Pod, with all properties that a write changes. */
    async trace() {
      return await must('find', [directory.path, '-printf', '%P %m %U:%G %s %T@ %C@ %i %l\n']);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test('files installed by kolla-init do not differ: check exits with code 0 and prints nothing on stdout', async () => {
  await using p = await pod();
  const { code, stdout, stderr } = await p.check();
  assert.deepEqual([code, stdout], [0, ''], stderr);
  assert.match(
    logLines(stderr).at(-1)?.msg ?? '',
    /^no differences: the files of .*config.json are installed \(4 compared\)$/,
  );
});

test('check prints each difference, names the paths in its last line on stderr, writes nothing, and exits with code 1', async () => {
  await using p = await pod();
  await writeFile(p.at('nova.conf'), CONF.replace('true', 'false').replace('hunter2', 'hunter3'));
  await chmod(p.at('nova.conf'), 0o664);
  await writeFile(p.at('logo.png'), Buffer.from([0x89, 0]));
  await rm(p.at('templates/a.txt'));
  await chmod(p.at('templates'), 0o700);
  const before = await p.trace();
  const { code, stdout, stderr } = await p.check();
  assert.equal(code, 1, stderr);
  assert.equal(
    stdout.replaceAll(p.at('.'), '/etc/nova').replaceAll(/(?<=digest[: ])[0-9a-f]{8}/g, '12345678'),
    `/etc/nova/nova.conf (config_files[0])
  content differs (- installed, + wanted)
  @@ -1,6 +1,6 @@
   [DEFAULT]
  -debug = false
  +debug = true
   my_ip = 10.0.0.3

   [database]
  -connection = <digest:12345678>
  +connection = <digest:12345678>
  mode is 0664, should be 0644
/etc/nova/logo.png (config_files[1])
  content differs, not shown because it is not text: is 2 bytes, digest 12345678, should be 3 bytes, digest 12345678
/etc/nova/templates (config_files[2])
  mode is 0700, should be 0755
/etc/nova/templates/a.txt (config_files[2])
  is missing
`,
  );
  const last = logLines(stderr).at(-1);
  assert.equal(last?.level, 'warn');
  assert.match(last?.msg ?? '', /^different from .*config.json: .*nova.conf, .*logo.png, .*templates and 1 more$/);
  assert.equal(await p.trace(), before);
});

test('check -o json prints the same differences', async () => {
  await using p = await pod();
  await chmod(p.at('nova.conf'), 0o600);
  await rm(p.at('logo.png'));
  await symlink('/dev/null', p.at('logo.png'));
  const { code, stdout } = await p.check('-o', 'json');
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    config: join(p.config, 'config.json'),
    same: false,
    compared: 4,
    differences: [
      { path: p.at('nova.conf'), entry: 'config_files[0]', mode: { actual: '0600', wanted: '0644' } },
      { path: p.at('logo.png'), entry: 'config_files[1]', is: 'a link, should be a file' },
    ],
  });
});

test('another owner is a difference', async (t) => {
  const reason = await canGiveFilesAway();
  if (reason !== undefined) return t.skip(reason);
  await using p = await pod();
  await chown(p.at('nova.conf'), 42_425, 42_425);
  const { stdout } = await p.check('-o', 'json');
  const { differences } = JSON.parse(stdout) as { differences: Difference[] };
  const { uid, gid } = userInfo();
  assert.deepEqual(
    differences.map(({ owner }) => owner),
    [{ actual: '42425:42425', wanted: `${uid}:${gid}` }],
  );
});

test('another command is a difference, and one that may contain a secret is not shown', async () => {
  await using p = await pod();
  p.document.command = 'nova-api --debug';
  await p.write();
  const { code, stdout } = await p.check();
  assert.equal(code, 1);
  assert.match(stdout, /run_command \(command\)\n  content differs[^]*\n  -nova-api\n  \+nova-api --debug\n$/);
  p.document.command = 'nova-api --password hunter2';
  await p.write();
  assert.match((await p.check()).stdout, /not shown because it may contain a secret/);
  await rm(p.run);
  assert.match((await p.check()).stdout, /run_command \(command\)\n  is missing\n$/);
  await must('mkfifo', [p.run]);
  assert.match((await p.check()).stdout, /run_command \(command\)\n  is not readable \(.* is not a regular file\)\n$/);
});

test('a file dropped from config.json is a difference until it is removed', async () => {
  await using p = await pod();
  p.document.config_files.splice(1, 1);
  await p.write();
  const { code, stdout } = await p.check();
  assert.equal(code, 1);
  assert.match(stdout, /logo.png \(of an earlier config.json\)\n  is there, should be gone\n$/);
});

test('per-Pod values are also compared', async () => {
  await using p = await pod();
  const ini = [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(POD_IP)' }];
  await writeFile(p.podFile, JSON.stringify({ overlays: { ini } }));
  const { code, stdout } = await p.check();
  assert.equal(code, 1);
  assert.match(stdout, /-my_ip = 10.0.0.3\n {2}\+my_ip = 10.0.0.4\n/);
});

test('a file with a value from a Secret is as private as the Secret, and its previous value stays private too', async () => {
  await using p = await pod();
  const ini = [{ file: '/etc/nova/nova.conf', key: 'greeting', value: 'hello $(DB_PASSWORD)' }];
  await writeFile(p.podFile, JSON.stringify({ overlays: { allow: ['DB_PASSWORD'], ini } }));
  await writeFile(p.at('nova.conf'), `${CONF}\n[DEFAULT]\ngreeting = hello hunter1\n`);
  const { code, stdout, stderr } = await p.check('--log-level', 'debug');
  assert.equal(code, 1);
  assert.match(stdout, /-greeting = <digest:\w{8}>\n/);
  assert.match(stderr, /applied this Pod's values to \/etc\/nova\/nova.conf","names":"DB_PASSWORD"/);
  assert.doesNotMatch(stdout + stderr, /hunter/);
});

test('no secret planted in any of many files is shown, whatever their modes', async () => {
  await using directory = await privateDirectory('planted');
  const [root, config] = [join(directory.path, 'root'), join(directory.path, 'config')];
  const { uid, gid } = userInfo();
  await mkdir(join(root, 'etc/x'), { recursive: true });
  await mkdir(config);
  await writeFile(join(root, 'etc/passwd'), `nova:x:${uid}:${gid}::/:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `nova:x:${gid}:\n`);
  const random = randomFrom(7);
  const config_files = [];
  for (let i = 0; i < 300; i++) {
    const [was, is] = [randomDocument(random), randomDocument(random)];
    await writeFile(join(config, `${i}`), is.text);
    await writeFile(join(root, `etc/x/${i}`), random() < 0.5 ? was.text : is.text.replaceAll('PLANTED', 'PLANTED2'));
    await chmod(join(root, `etc/x/${i}`), random() < 0.3 ? 0o600 : 0o644);
    const perm = random() < 0.3 ? '0640' : '0644';
    config_files.push({ source: `/var/lib/kolla/config_files/${i}`, dest: `/etc/x/${i}`, owner: 'nova', perm });
  }
  const command = 'nova-api --password PLANTED';
  await writeFile(join(config, 'config.json'), JSON.stringify({ command, config_files }));
  for (const output of ['text', 'json']) {
    const args = ['check', '--root', root, '--config-dir', config, '-o', output, '--log-level', 'debug'];
    const { code, stdout, stderr } = await runHelper('kolla-init', args);
    assert.equal(code, 1, stderr);
    assert.ok(stdout.split('@@ -').length > 50, 'too few diffs to prove anything');
    assert.doesNotMatch(stdout + stderr, /PLANTED/);
  }
});

/** Runs the command with the directory mounted read-only, also for root. */
const REMOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
const READ_ONLY = ['--user', '--map-root-user', '--mount', 'sh', '-c', REMOUNT];

test('a difference on a read-only volume is reported as one, not as an invalid configuration', async (t) => {
  await using p = await pod();
  const tried = await run('unshare', [...READ_ONLY, p.root, 'true']);
  if (tried.code !== 0) return t.skip(`cannot mount read-only here: ${tried.stderr.trim()}`);
  await rm(p.at('templates'), { recursive: true });
  const check = [process.execPath, HELPERS, 'kolla-init', 'check', '--root', p.root, '--config-dir', p.config];
  const { code, stdout, stderr } = await run('unshare', [...READ_ONLY, p.root, ...check]);
  assert.equal(code, 1, stderr);
  assert.match(stdout, /templates\/a.txt \(config_files\[2\]\)\n  is missing\n/);
});

test('check exits with code 65 for an invalid config.json, and for a directory without one', async () => {
  await using p = await pod();
  await writeFile(join(p.config, 'config.json'), '{"command": 7}');
  assert.equal((await p.check()).code, 65);
  await rm(join(p.config, 'config.json'));
  const { code, stdout, stderr } = await p.check('-o', 'json');
  assert.deepEqual([code, stdout], [65, '']);
  assert.match(stderr, /no config\.json in \S+, only .*; mount the ConfigMap there, with the key config\.json/);
  assert.equal((await p.check('--config-json', '/no/such.json')).code, 65);
});
