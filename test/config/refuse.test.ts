import assert from 'node:assert/strict';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { makePlan } from '../../src/config/index.ts';
import { run } from '../../tools/process.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { entry, pod, type Pod } from './support.ts';

async function refusal(p: Pod, options: Parameters<Pod['apply']>[0] = {}): Promise<string> {
  const before = await readdir(p.root, { recursive: true });
  const error: unknown = await p.apply(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  assert.deepEqual(await readdir(p.root, { recursive: true }), before, 'nothing may be touched');
  return error.message;
}

test('a missing config.json at the default path is logged and is not an error', async () => {
  await using p = await pod();
  assert.equal(await p.apply(), undefined);
  assert.match(p.logged()[0]!.msg, /no config.json in /);
});

test('a missing named config.json is an error', async () => {
  await using p = await pod();
  assert.match(
    await refusal(p, { configFile: '/no/such/config.json' }),
    /cannot read \/no\/such\/config.json: no such file or directory$/,
  );
});

test('config.yaml takes precedence over config.json', async () => {
  await using p = await pod();
  await p.config({ command: 7 });
  await p.write(join(p.configDir, 'config.yaml'), 'command: "true"\n');
  assert.deepEqual(await p.apply(), { written: 0, unchanged: 0 });
});

for (const [text, place] of [
  ['{"command": "a",\n "password" "hunter2"}', 'a colon is missing in line 2, column 13'],
  ['{"command": "hunter2",}', 'a comma before } in line 1, column 22'],
  ['{"command": hunter2}', 'look at line 1, column 13'],
  ['{"command": "hunter2\n"}', 'a line break or tab within quotes in line 1, column 21'],
  ['{"command": tru3}', 'look at line 1, column 16'],
  ['{"a": 1} // hunter2', 'a comment, which JSON does not have, in line 1, column 10'],
  ['\uFEFF{"a": 1}', 'it begins with a byte order mark: save it as UTF-8 without one'],
  ['{"command": "hunter2"', 'it ends too early: { of line 1 is not closed'],
  ['', 'it is empty'],
] as const) {
  test(`the error in ${JSON.stringify(text)} is reported with its position and never quoted`, async () => {
    await using p = await pod();
    await p.write(join(p.configDir, 'config.json'), text);
    const message = await refusal(p);
    assert.ok(message.endsWith(`config.json is not JSON: ${place}`), message);
  });
}

for (const [text, place] of [
  ['\tcommand: hunter2\n', 'line 1 begins with a tab'],
  ['command: x\nconfig_files: [{source: hunter2}\nfiles: []\n', '[ of line 2 is not closed'],
] as const) {
  test(`the same for YAML: ${place}`, async () => {
    await using p = await pod();
    await p.write(join(p.configDir, 'config.yaml'), text);
    const message = await refusal(p);
    assert.ok(message.endsWith(`config.yaml is not YAML: ${place}`), message);
  });
}

for (const [section, key] of [
  ['config_files', 'config_file'],
  ['config_files', 'config-files'],
  ['permissions', 'permission'],
  ['directories', 'directorys'],
  ['files', 'Files'],
  ['command', 'comand'],
] as const) {
  test(`a misspelt section is rejected with the right name: ${key}`, async () => {
    await using p = await pod();
    await p.config({ ...(section === 'command' ? {} : { command: 'true' }), [key]: [] });
    assert.match(await refusal(p), new RegExp(`${key}: there is no such section; did you mean '${section}'\\?`));
  });
}

for (const section of ['permissions', 'directories', 'files']) {
  test(`an entry of config_files under ${section} is recognized`, async () => {
    await using p = await pod();
    await p.config({ command: 'true', [section]: [entry('a', '/etc/a')] });
    const message = await refusal(p);
    assert.ok(message.endsWith(`${section}[0]: has source and dest, so it belongs into config_files`), message);
  });
}

for (const [what, names, problem] of [
  ['empty', [], ', which is empty'],
  ['without it', ['b.conf', 'a.conf', 'd.conf', 'c.conf'], ', only a.conf, b.conf, c.conf and 1 more'],
] as const) {
  test(`a directory that must have a config.json is named with its content: ${what}`, async () => {
    await using p = await pod();
    for (const name of names) await p.write(join(p.configDir, name), '');
    const message = await refusal(p, { mustExist: 'mount it' });
    assert.equal(message, `no config.json in ${p.configDir}${problem}; mount it`);
  });
}

test('every problem is reported with its location, and nothing is touched', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'good.conf'), '');
  await p.config({
    command: ['sh'],
    config_files: [
      entry('good.conf', '/etc/good.conf'),
      entry('a', '/etc/a', { perm: 384 }),
      entry('a', '/etc/a', { sourc: 'x' }),
      { source: '/a', dest: 'etc/a', owner: 'keystone', perm: '0600' },
      { source: '/a', dest: '/etc/a' },
      'text',
    ],
  });
  const message = await refusal(p);
  for (const problem of [
    'command: must be a string, but is Array',
    'config_files[1].perm: must be octal digits in quotes, such as "0600", but is 384',
    "config_files[2].sourc: there is no such key; did you mean 'source'?",
    'config_files[3].dest: must be an absolute path, but is "etc/a"',
    'config_files[4]: needs owner and perm (or preserve_properties)',
    'config_files[5]: must be a mapping, but is "text"',
  ])
    assert.ok(message.includes(problem), `${problem}\n  is not in\n${message}`);
});

test('a missing source, an unknown owner and an obstructing directory are all found before anything is written', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.write(join(p.root, 'etc/d/x'), '');
  await p.config({
    command: 'true',
    config_files: [
      entry('a', '/etc/good'),
      entry('none', '/etc/none'),
      entry('a', '/etc/a', { owner: 'keyston' }),
      entry('a', '/etc/d'),
      entry('a', '/etc/passwd/a'),
    ],
  });
  const message = await refusal(p);
  assert.match(message, /config_files\[1\].source: there is no file .*none; mount it, or set "optional": true/);
  assert.match(message, /config_files\[2\].owner: no user 'keyston' in \/etc\/passwd; did you mean 'keystone'\?/);
  assert.match(message, /config_files\[3\].dest: .*\/etc\/d is a directory; end dest with a slash/);
  assert.match(message, /config_files\[4\].dest: .*\/etc\/passwd is not a directory/);
});

test('a FIFO, an empty path and a five-digit mode are each rejected with their own message', async () => {
  await using p = await pod();
  const [fifo, none] = [join(p.configDir, 'fifo'), join(p.root, 'none')];
  await run('mkfifo', [fifo]);
  await p.config({ command: 'true', config_files: [entry('fifo', '/etc/a')] });
  assert.match(await refusal(p), /config_files\[0\]\.source: \S+\/fifo is a FIFO, not a file or directory/);
  await p.config({
    command: 'true',
    config_files: [entry('a', ''), entry('a', '/etc/a', { perm: '00644' })],
  });
  const message = await refusal(p);
  assert.match(message, /config_files\[0\]\.dest: is empty/);
  assert.match(message, /config_files\[1\]\.perm: must be three or four octal digits, such as "0600", but is "00644"/);
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/a', { owner: 'zz' })] });
  assert.match(await refusal(p), /no user 'zz' in \/etc\/passwd: run in the service's image, or plan with --image DIR/);
  assert.match(await refusal(p), /or copy the image's etc\/passwd and etc\/group into --root\./);
  assert.match(await refusal(p, { root: none }), /^--root \S+\/none does not exist: mkdir it$/);
});

test('no full stop follows the question mark of a suggestion', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/a', { owner: 'keyston' })] });
  assert.match(await refusal(p), /did you mean 'keystone'\? Nothing was touched\.$/);
});

test("a source among many that is another entry's destination is named", async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.write(join(p.root, 'etc/made/x'), '');
  const many = Array.from({ length: 50 }, (_, i) => entry('a', `/etc/many/${i}`));
  await p.config({
    command: 'true',
    config_files: [...many, { ...entry('a', '/etc/y'), source: join(p.root, 'etc/made') }, entry('a', '/etc/made/x')],
  });
  assert.match(await refusal(p), /config_files\[50\].source: .*etc\/made is installed by config_files\[51\]/);
});

test("an aborted signal ends the scan of files with the signal's reason", async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/a')] });
  const reason = new Error('SIGTERM');
  const { root, configDir, me } = p;
  const { log } = recordedLog();
  await assert.rejects(
    makePlan({ root, configDir, configFile: undefined, me }, { signal: AbortSignal.abort(reason), log }),
    reason,
  );
});

test('without root, an owner that is neither our user nor one of our groups is rejected with the fix', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/a', { owner: 'stranger' })] });
  const message = await refusal(p, { me: { uid: 1000, gid: 1000, groups: [] } });
  assert.match(message, /config_files\[0\].owner: 'stranger' is 54321:54321, but this runs as 1000:1000/);
  assert.match(message, /runAsUser: 54321/);
});

test('without root, an owner whose group is ours is accepted', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/a', { owner: 'stranger:keystone' })] });
  const applied = await p.apply({ me: { ...p.me, uid: p.me.uid === 0 ? 1000 : p.me.uid } });
  assert.deepEqual(applied, { written: 1, unchanged: 0 });
});

test('a link in the root that leads outside is not followed', async () => {
  await using p = await pod();
  await symlink(p.configDir, join(p.root, 'etc/out'));
  await p.write(join(p.configDir, 'a'), '');
  await p.config({ command: 'true', config_files: [entry('a', '/etc/out/a')] });
  assert.match(await refusal(p), /is a link to .*config_files, outside of/);
});

test("one entry's file cannot be another's directory or source", async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({
    command: 'true',
    config_files: [
      entry('a', '/etc/x'),
      entry('a', '/etc/x/y'),
      { source: join(p.root, 'etc/x'), dest: '/etc/z', owner: 'keystone', perm: '0600', optional: true },
    ],
  });
  const message = await refusal(p, { image: p.root });
  assert.match(
    message,
    /config_files\[1\]: .*etc\/x would be a directory, and config_files\[0\] installs a file there/,
  );
  assert.match(
    message,
    /config_files\[2\].source: .*etc\/x is installed by config_files\[0\]; use that entry's source/,
  );
});

test('a name too long for a file is rejected with its entry', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), 'a');
  const path = `/etc/x/${'ä'.repeat(128)}`;
  await p.config({
    command: 'true',
    config_files: [entry('a', path)],
    directories: [{ path: `${path}/d`, owner: 'keystone', perm: '0755' }],
  });
  assert.match(
    await refusal(p),
    /config_files\[0\]\.dest: has a name of more than 255 bytes.*directories\[0\]\.path: has a name/,
  );
});
