/**
 * kolla-pod passwords, run as users do: a file before -> the command -> the file after, and the Secrets on stdout. That the
 * names are those of the charts: test/charts/password-names.test.ts.
 */
import assert from 'node:assert/strict';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load, loadAll } from 'js-yaml';
import { PASSWORD_NAMES } from '../../src/toolbox/passwords/names.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';

/** As kolla-ansible installs it, with some values by `kolla-genpwd`. */
const KOLLA = `---
###################
# Database options
###################
database_password: kept'as it is
# Filled in by kolla-genpwd
mariadb_monitor_password:   # no value yet
rabbitmq_password: ""
nova_database_password: 'quoted #1'

keystone_ssh_key:
  private_key: |
    -----BEGIN
    kept
  public_key:
unused_number: 12
`;

const passwords = (...args: string[]) => runHelper('kolla-pod', ['passwords', ...args]);

interface Secret {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data: Readonly<Record<string, string>>;
}

const decoded = (stdout: string) =>
  (loadAll(stdout) as Secret[]).map(({ metadata: { name, namespace }, data }) => ({
    name,
    namespace,
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()])),
  }));

test('a new file is for helm --values, private, with a different strong password for each name', async () => {
  await using directory = await privateDirectory('passwords');
  const file = join(directory.path, 'passwords.yml');
  const done = await passwords(file);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.stdout, '');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const { global } = load(await readFile(file, 'utf8')) as { global: { passwords: Record<string, string> } };
  assert.deepEqual(Object.keys(global.passwords), PASSWORD_NAMES);
  const values = Object.values(global.passwords);
  for (const value of values) assert.match(value, /^[0-9a-f]{40}$/);
  assert.equal(new Set(values).size, values.length);
  for (const value of values) assert.ok(!done.stderr.includes(value));
});

test('a complete file is not written again', async () => {
  await using directory = await privateDirectory('passwords');
  const file = join(directory.path, 'passwords.yml');
  await passwords(file);
  const [{ ino }, text] = [await stat(file), await readFile(file, 'utf8')];
  assert.match((await passwords(file)).stderr, /unchanged/);
  assert.deepEqual([(await stat(file)).ino, await readFile(file, 'utf8')], [ino, text]);
});

test("kolla-ansible's passwords.yml is completed line by line, and what it has is kept", async () => {
  await using directory = await privateDirectory('passwords');
  const file = join(directory.path, 'passwords.yml');
  await writeFile(file, KOLLA, { mode: 0o644 });
  const link = join(directory.path, 'link.yml');
  await symlink('passwords.yml', link);
  assert.equal((await passwords(link)).code, 0);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const text = await readFile(file, 'utf8');
  const hidden = text.replaceAll(/"[0-9a-f]{40}"/g, 'NEW');
  const filled = KOLLA.replace('   # no value yet', ' NEW').replace('""', 'NEW');
  const rest = PASSWORD_NAMES.filter((name) => !KOLLA.includes(`${name}:`));
  assert.equal(hidden, filled + rest.map((name) => `${name}: NEW\n`).join(''));
});

for (const [form, text] of [
  ['an empty mapping', 'global:\n  tag: "1"\n  passwords: {}\n  region: here\n'],
  ['nothing', 'global:\n    passwords:\n'],
  ['a mapping with a wide indent', 'global:\n  passwords: # ours\n      database_password: mine\n  region: here\n'],
] as const)
  test(`a file for Helm is completed where global.passwords is ${form}`, async () => {
    await using directory = await privateDirectory('passwords');
    const file = join(directory.path, 'passwords.yml');
    await writeFile(file, text);
    const done = await passwords(file);
    assert.equal(done.code, 0, done.stderr);
    type Given = { global: { passwords: Record<string, string> | null } };
    const [before, { global }] = [load(text) as Given, load(await readFile(file, 'utf8')) as Given];
    assert.deepEqual(new Set(Object.keys(global.passwords ?? {})), new Set(PASSWORD_NAMES));
    assert.deepEqual({ ...global, passwords: 0 }, { ...before.global, passwords: 0 });
    for (const [name, value] of Object.entries(before.global.passwords ?? {}))
      assert.equal(global.passwords?.[name], value);
  });

for (const [what, text, said] of [
  ['a mapping on one line', 'global: { passwords: { database_password: hidden } }\n', /one NAME: PASSWORD a line/],
  ['invalid YAML', 'database_password: hidden\n a: [hidden\n', /invalid YAML: .* \(\d:\d+\)/],
  ['a list', '- hidden\n', /is no mapping/],
  ['a number', 'database_password: 123456\n', /database_password is no text; put it in quotes/],
] as const)
  test(`a file with ${what} is rejected without its content, and kept`, async () => {
    await using directory = await privateDirectory('passwords');
    const file = join(directory.path, 'passwords.yml');
    await writeFile(file, text);
    const { code, stdout, stderr } = await passwords(file);
    assert.equal(code, 65);
    assert.match(stderr, said);
    assert.doesNotMatch(stdout + stderr, /hidden|123456/);
    assert.equal(await readFile(file, 'utf8'), text);
  });

test('what cannot be read is reported', async () => {
  const { code, stderr } = await passwords('/proc');
  assert.equal(code, 69, stderr);
  assert.match(stderr, /cannot read \/proc: /);
});

test('a directory without write permission is reported with the fix', async () => {
  const { code, stderr } = await passwords('/proc/passwords.yml');
  assert.ok([69, 77].includes(code ?? 0), stderr);
  assert.match(stderr, /cannot write \/proc\/passwords\.yml/);
});

test('--values prints the Secrets that global.passwordSecrets names, without changing the passwords', async () => {
  await using directory = await privateDirectory('passwords');
  const [file, values] = [join(directory.path, 'passwords.yml'), join(directory.path, 'globals.yml')];
  await writeFile(file, `${KOLLA}shipper: logs\nother: unused\n`);
  const own = 'database_password: { secret: database, key: password }';
  await writeFile(
    values,
    `global:\n  logs: { password: shipper }\n  passwordSecrets: { ${own}, "*": { secret: openstack } }\n`,
  );
  const done = await passwords(file, '--values', values, '--namespace', 'cloud');
  assert.equal(done.code, 0, done.stderr);
  const found = load(await readFile(file, 'utf8')) as Record<string, string>;
  const rest = [...PASSWORD_NAMES.filter((name) => name !== 'database_password'), 'shipper'];
  assert.deepEqual(
    new Set(decoded(done.stdout)),
    new Set([
      { name: 'database', namespace: 'cloud', data: { password: "kept'as it is" } },
      { name: 'openstack', namespace: 'cloud', data: Object.fromEntries(rest.map((name) => [name, found[name]])) },
    ]),
  );
  assert.match(done.stdout, /^---\napiVersion: v1\nkind: Secret\n/);
});

for (const [values, said] of [
  ['global: {}', /no global\.passwordSecrets/],
  ['global: { passwordSecrets: { unknown: { secret: a } } }', /passwords\.yml has no unknown/],
  [
    'global: { passwordSecrets: { database_password: { key: a } } }',
    /database_password: say \{secret: NAME, key: KEY\}/,
  ],
  [
    'global: { passwordSecrets: { database_password: { secret: a, key: b }, nova_database_password: { secret: a, key: b } } }',
    /passwordSecrets\.nova_database_password: key b of a has another password/,
  ],
  ['global: [', /globals\.yml: invalid YAML/],
] as const)
  test(`values are rejected without a password: ${values}`, async () => {
    await using directory = await privateDirectory('passwords');
    const [file, globals] = [join(directory.path, 'passwords.yml'), join(directory.path, 'globals.yml')];
    await writeFile(file, KOLLA);
    await writeFile(globals, values);
    const { code, stdout, stderr } = await passwords(file, '--values', globals);
    assert.deepEqual([code, stdout], [65, '']);
    assert.match(stderr, said);
    for (const value of ["kept'as", 'quoted #1']) assert.ok(!stderr.includes(value));
  });
