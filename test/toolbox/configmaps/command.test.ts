import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { NAME_RULES } from '../../../src/kube/names.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { configmaps, mounts, printed, projected, takes, writeService, type Printed } from './directory.ts';

const FILES = {
  'keystone.conf': '[DEFAULT]\ndebug = false\n\n[database]\nconnection = mysql+pymysql://keystone:hidden@db/keystone\n',
  'keystone-uwsgi.ini': '[uwsgi]\nhttp-socket = 0.0.0.0:5000\n',
  'policy.yaml': '# rules\n"identity:list_users": "rule:admin"\n',
  ml2_conf: '  indented first\n\nand trailing spaces  \n\n\n',
  'domains/a.conf': '[identity]\ndriver = sql\n',
  'domains/A.conf': '[identity]\ndriver = ldap\n',
  'logo.png': Buffer.from([0x89, 0x50, 0, 0xff, 0xfe]),
  'odd.txt': 'tab\there, \u0085 and \u00e9, \ufeff\r\nno end',
} as const;
const FORMS = [[], ['--bundle', 'service'], ['--reload', 'live'], ['--bundle', 'service', '--reload', 'live']];

for (const form of FORMS)
  test(`the volume has every file of the directory at its path, byte for byte: ${form.join(' ') || 'a file each'}`, async () => {
    await using directory = await privateDirectory('configmaps');
    await writeService(directory.path, FILES);
    const args = [directory.path, '--name', 'keystone', ...form];
    const objects = await printed(...args);
    for (const { metadata } of objects) assert.match(metadata.name, NAME_RULES.subdomain.is);
    const files = projected(await mounts(...args), objects);
    files.delete('config.json');
    const wanted = new Map(Object.entries(FILES).map(([path, content]) => [path, Buffer.from(content)]));
    assert.deepEqual(Object.fromEntries(files), Object.fromEntries(wanted));
    const { stdout } = await configmaps(...args, '-o', 'json');
    assert.deepEqual((JSON.parse(stdout) as { items: unknown }).items, objects);
  });

test('text files are printed as YAML block scalars; passwords only base64-encoded in Secrets', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(directory.path, FILES);
  const { stdout, stderr } = await configmaps(directory.path, '--name', 'keystone', '-n', 'openstack');
  assert.match(
    stdout,
    /^kind: ConfigMap\nmetadata:\n {2}name: keystone-keystone-uwsgi\.ini-[0-9a-f]{10}\n {2}namespace: openstack\n[^]*?\n {2}keystone-uwsgi\.ini: \|\n {4}\[uwsgi\]\n {4}http-socket/m,
  );
  assert.match(stdout, /^kind: Secret\nmetadata:\n {2}name: keystone-keystone\.conf-[0-9a-f]{10}$/m);
  assert.doesNotMatch(stdout + stderr, /hidden/);
  assert.match(stderr, /9 files: \d ConfigMaps, \d Secrets/);
});

test('each content has its own version, and only changed ones a new name', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(directory.path, FILES);
  const names = async (...form: string[]) =>
    (await printed(directory.path, '--name', 'keystone', ...form)).map(({ metadata, immutable }) => {
      assert.equal(immutable, form.length === 0 ? true : undefined);
      return metadata.name;
    });
  const [before, live] = [await names(), await names('--reload', 'live')];
  await writeFile(join(directory.path, 'policy.yaml'), '{}\n');
  const after = await names();
  assert.equal(after.filter((name) => !before.includes(name)).length, 1);
  assert.equal(new Set(after).size, Object.keys(FILES).length + 1);
  assert.deepEqual(await names('--reload', 'live'), live);
  assert.ok(live.includes('keystone-keystone.conf'));
});

test("a source's own mode is kept only if its entry has preserve_properties", async () => {
  await using directory = await privateDirectory('configmaps');
  const kept = { ...takes('run.sh'), perm: undefined, preserve_properties: true };
  await writeService(directory.path, { 'run.sh': '#!/bin/sh\n', 'a.conf': '[a]\n' }, [kept, takes('a.conf')]);
  await chmod(join(directory.path, 'run.sh'), 0o750);
  const { sources } = (await mounts(directory.path, '--name', 'keystone')).volumes[0].projected;
  const items = sources.flatMap(({ configMap, secret }) => (configMap ?? secret)?.items ?? []);
  assert.deepEqual(items, [{ key: 'run.sh', path: 'run.sh', mode: 0o750 }]);
});

test("the directory's own name is not a pattern, and need not be absolute", async () => {
  await using directory = await privateDirectory('configmaps');
  const at = join(directory.path, 'rack[1]*', 'keystone');
  await writeService(at, { 'a.conf': '[a]\nb = c\n' }, [takes('*.conf'), takes('a.conf')]);
  for (const dir of [at, relative(process.cwd(), at)]) {
    const { code, stderr } = await configmaps(dir);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /no entry/);
  }
});

test('excluded files are not read, and need not exist', async () => {
  await using directory = await privateDirectory('configmaps');
  const entries = [takes('a.conf'), takes('gone.bin'), takes('pki'), takes('old')];
  await writeService(directory.path, { 'a.conf': '', 'old/x': 'hidden' }, entries);
  await symlink('/etc', join(directory.path, 'pki'));
  await symlink('gone', join(directory.path, 'nowhere'));
  const out = ['gone.bin', 'pki', 'old', 'nowhere'].flatMap((name) => ['--exclude', name]);
  const objects = await printed(directory.path, '--name', 'k', ...out);
  assert.deepEqual(
    objects.map(({ data, binaryData }) => Object.keys({ ...data, ...binaryData })),
    [['a.conf'], ['config.json']],
  );
});

test('a name can neither control the terminal of --explain, nor span two lines', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(directory.path, { 'a\u001b[31m': '', 'b\nc': '' });
  const { stdout } = await configmaps(directory.path, '--name', 'k', '--explain');
  assert.match(stdout, /^"a\\u001b\[31m" .*\n"b\\nc" /m);
});

test('an entry may install a directory, or files by a pattern', async () => {
  await using directory = await privateDirectory('configmaps');
  const entries = [takes('domains'), takes('*.ini'), { ...takes('none/*'), optional: true }];
  await writeService(directory.path, { 'domains/a.conf': '', 'b.ini': '' }, entries);
  const { stdout, stderr } = await configmaps(directory.path, '--name', 'keystone', '--explain');
  assert.doesNotMatch(stdout + stderr, /no entry/);
});

test('--explain prints what each file becomes and why, and unused files', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(directory.path, FILES, [takes('keystone.conf'), takes('logo.png', '0644')]);
  const { stdout, stderr } = await configmaps(directory.path, '--name', 'keystone', '--explain');
  assert.match(stdout, /^keystone\.conf +Secret +keystone-keystone\.conf-\S+ +line 5: a URL with user info$/m);
  assert.match(stdout, /^logo\.png +ConfigMap +\S+ +it is not text, but config\.json makes it world-readable/m);
  assert.match(stdout, /^ml2_conf +Secret .*no entry of config\.json installs it$/m);
  assert.match(stderr, /no entry of config\.json installs these.*policy\.yaml/);
});

test('options take precedence: --secret before --plain, and --plain warns if a secret was found', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(directory.path, FILES);
  const kinds = async (...args: string[]) => {
    const { stdout, stderr } = await configmaps(directory.path, '--name', 'k', '--explain', ...args);
    return { of: (path: string) => new RegExp(`^${path} +(\\w+)`, 'm').exec(stdout)?.[1], stderr };
  };
  const said = await kinds('--secret', 'domains/*', '--plain', '*.conf', '--exclude', 'odd.txt');
  assert.equal(said.of('domains/a.conf'), 'Secret');
  assert.equal(said.of('keystone.conf'), 'ConfigMap');
  assert.equal(said.of('odd.txt'), undefined);
  assert.match(said.stderr, /keystone\.conf goes into a ConfigMap because of --plain, although: line 5: a URL/);
  assert.equal((await kinds('--secret', '*')).of('policy.yaml'), 'Secret');
});

/** The mistake, how it is set up, the arguments, the exit code and the message. */
const WRONG: readonly [string, (directory: string) => Promise<unknown>, readonly string[], number, RegExp][] = [
  [
    'a missing directory',
    () => Promise.resolve(),
    ['/nonexistent/keystone'],
    65,
    /\/nonexistent\/keystone: is missing/,
  ],
  ['a file', (directory) => writeFile(join(directory, 'x'), ''), ['x'], 65, /x is a file; name the directory/],
  ['an empty directory', () => Promise.resolve(), [''], 65, /no config\.json in .*\/etc\/kolla\/SERVICE/],
  [
    'a config.json of the parent directory',
    (directory) => writeService(join(directory, 'nova-api'), {}),
    [''],
    65,
    /such as .*\/nova-api/,
  ],
  ['invalid JSON', (directory) => writeFile(join(directory, 'config.json'), '{'), [''], 65, /config\.json is not JSON/],
  [
    'a source that is missing',
    (directory) => writeService(directory, {}, [takes('a.conf')]),
    [''],
    65,
    /config_files\[0\]: .*a\.conf is not in the directory/,
  ],
  [
    'a link out',
    async (directory) => {
      await writeService(directory, {});
      await symlink('/etc/hostname', join(directory, 'out'));
    },
    [''],
    65,
    /out is a link to \/etc\/hostname, outside/,
  ],
  [
    'a link round',
    async (directory) => {
      await writeService(directory, {});
      await symlink('.', join(directory, 'round'));
    },
    [''],
    65,
    /round is a link to one of its parent directories/,
  ],
  [
    'links that multiply directories',
    async (directory) => {
      await writeService(directory, {});
      for (let i = 0; i < 20; i++) {
        await mkdir(join(directory, `${i}`));
        for (let j = 0; j < i; j++) await symlink(`../${j}`, join(directory, `${i}`, `${j}`));
      }
    },
    [''],
    65,
    /holds more than 5000 files and directories/,
  ],
  [
    'a link to nowhere',
    async (directory) => {
      await writeService(directory, {});
      await symlink('gone', join(directory, 'x'));
    },
    [''],
    65,
    /x: is missing, or a dangling link/,
  ],
  [
    'an empty directory that is needed',
    async (directory) => {
      await writeService(directory, {}, [takes('d')]);
      await mkdir(join(directory, 'd'));
    },
    [''],
    65,
    /d is an empty directory/,
  ],
  [
    'a large file',
    async (directory) => {
      await writeService(directory, { big: '' });
      await truncate(join(directory, 'big'), 1_048_577);
    },
    [''],
    65,
    /big has 1048577 bytes.*--exclude big/,
  ],
  [
    'files too large together',
    (directory) => writeService(directory, { a: 'x'.repeat(600_000), b: 'y'.repeat(600_001) }),
    ['', '--bundle', 'service'],
    65,
    /the largest is b with 600001: --bundle file/,
  ],
  [
    'an invalid name',
    (directory) => writeService(directory, {}),
    ['', '--name', 'No_Name'],
    64,
    /--name: 'No_Name' is not a name/,
  ],
  ['an invalid namespace', (directory) => writeService(directory, {}), ['', '-n', 'a.b'], 64, /--namespace: 'a\.b'/],
  [
    'a --secret that nothing matches',
    (directory) => writeService(directory, {}),
    ['', '--secret', 'keystone.cnf'],
    64,
    /--secret keystone\.cnf: no such file/,
  ],
  [
    'a pattern with ..',
    (directory) => writeService(directory, {}),
    ['', '--plain', '../x'],
    64,
    /'\.\.\/x' is not a pattern/,
  ],
  [
    '--mounts with --explain',
    (directory) => writeService(directory, {}),
    ['', '--mounts', '--explain'],
    64,
    /not both/,
  ],
];

for (const [what, set, [dir = '', ...args], wanted, says] of WRONG)
  test(`exits with code ${wanted} for ${what}, and prints nothing`, async () => {
    await using directory = await privateDirectory('configmaps');
    await set(directory.path);
    const name = args.includes('--name') ? [] : ['--name', 'k'];
    const { code, stdout, stderr } = await configmaps(
      join(dir.startsWith('/') ? '' : directory.path, dir),
      ...name,
      ...args,
    );
    assert.deepEqual([code, stdout], [wanted, ''], stderr);
    assert.match(stderr, says);
  });

test('the output for two directories can be concatenated', async () => {
  await using directory = await privateDirectory('configmaps');
  const texts: string[] = [];
  for (const name of ['nova-api', 'nova-conductor']) {
    await writeService(join(directory.path, name), { 'nova.conf': '[a]\nb = c\n' });
    texts.push((await configmaps(join(directory.path, name))).stdout);
  }
  const names = (loadAll(texts.join('')) as Printed[]).map(({ metadata }) => metadata.name.replace(/-\w{10}$/, ''));
  assert.deepEqual(names, [
    'nova-api-config.json',
    'nova-api-nova.conf',
    'nova-conductor-config.json',
    'nova-conductor-nova.conf',
  ]);
});

test('links inside the directory are followed, as in a mounted ConfigMap', async () => {
  await using directory = await privateDirectory('configmaps');
  await writeService(join(directory.path, '..data'), { 'a.conf': '[a]\nb = c\n' });
  for (const name of ['config.json', 'a.conf']) await symlink(`..data/${name}`, join(directory.path, name));
  const [object, ...more] = await printed(directory.path, '--name', 'k');
  assert.deepEqual(object?.data, { 'a.conf': '[a]\nb = c\n' });
  assert.equal(more.length, 1);
});
