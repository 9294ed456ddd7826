import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { directoriesOf, ringOfDirectory } from '../../../src/provision/keys/part.ts';
import { newKey, newRing } from '../../../src/provision/keys/ring.ts';
import { reencryptWith } from '../../../src/provision/keys/reencrypt.ts';
import { rulesFor } from '../../../src/provision/keys/rotate.ts';
import { readServiceConfig } from '../../../src/provision/converge/service-config.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { keystone } from '../../../src/catalog/keystone.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { logLines, runHelper } from '../../support/helper.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const [fernet, credential] = keystone.keys!;
const NOT_GIVEN = { settle: 1, tokenLifetime: undefined, maxActiveKeys: undefined };

async function rules(conf: string, given: Partial<typeof NOT_GIVEN> | object = {}) {
  await using directory = await privateDirectory('keys');
  const file = join(directory.path, 'keystone.conf');
  await writeFile(file, conf);
  const { log, said } = recordedLog();
  return {
    ...rulesFor(fernet!, { ...NOT_GIVEN, ...given }, await readServiceConfig(keystone, file, {}), log),
    said: said(),
  };
}

test("token lifetime and number of keys come from keystone.conf, with Keystone's defaults", async () => {
  const { lifetimeMs, keep } = await rules('');
  assert.deepEqual([lifetimeMs, keep], [49 * 3_600_000, 3]);
  const set = await rules(
    '[token]\nexpiration = 60\nallow_expired_window = 40\n[fernet_tokens]\nmax_active_keys = 7\n',
  );
  assert.deepEqual([set.lifetimeMs, set.keep], [100_000, 7]);
  const given = await rules('[token]\nexpiration = 60\n', { tokenLifetime: 5, maxActiveKeys: 4 });
  assert.deepEqual([given.lifetimeMs, given.keep], [5, 4]);
});

test('an unreadable keystone.conf is an error, since the defaults could remove keys too early', async () => {
  await using directory = await privateDirectory('keys');
  const { log } = recordedLog();
  // A directory cannot be read as a file, not even by root.
  const config = await readServiceConfig({ ...keystone, configFile: directory.path }, undefined, {
    OS_TOKEN__EXPIRATION: '60',
  });
  assert.throws(
    () => rulesFor(fernet!, { ...NOT_GIVEN, maxActiveKeys: 4 }, config, log),
    (error: unknown) =>
      error instanceof ConfigError &&
      /\[token\] allow_expired_window in .*can't be read: it is a directory/.test(error.message),
  );
  const given = { ...NOT_GIVEN, tokenLifetime: 5, maxActiveKeys: 4 };
  assert.equal(rulesFor(fernet!, given, config, log).lifetimeMs, 5);
  assert.throws(() => config.check(), /^ConfigError: .*, which can't be read: it is a directory/);
});

test('a max_active_keys too small for late replicas is raised with a warning; a non-number is rejected', async () => {
  const { keep, said } = await rules('[fernet_tokens]\nmax_active_keys = 2\n');
  assert.equal(keep, 3);
  assert.match(said, /2 keys are too few for replicas that see a rotation late; 3 are kept/);
  await assert.rejects(rules('[token]\nexpiration = long\n'), /\[token\] expiration in .* is not a whole number/);
});

test('credential keys have no lifetime, whatever the token lifetime, since data is re-encrypted', async () => {
  const { log } = recordedLog();
  const config = await readServiceConfig({ ...keystone, configFile: '/none' }, undefined, {});
  assert.deepEqual(rulesFor(credential!, { ...NOT_GIVEN, tokenLifetime: 5 }, config, log), {
    settleMs: 1,
    lifetimeMs: 0,
    keep: 3,
  });
});

test('a directory is read as written by keystone-manage; without keys, or with another file, it is rejected', async () => {
  await using directory = await privateDirectory('keys');
  const at = (name: string) => join(directory.path, name);
  await assert.rejects(ringOfDirectory(directory.path, '--keys-from', 0), /, given by --keys-from, contains no keys/);
  await assert.rejects(ringOfDirectory(at('none'), '--keys-from', 0), /cannot read .*: no such file or directory/);
  const key = newKey();
  for (const [name, text] of Object.entries({ 0: key, 12: key, '0.tmp': 'x', 5: '' })) await writeFile(at(name), text);
  assert.deepEqual(
    [...(await ringOfDirectory(directory.path, '--keys-from', 0)).keys],
    [
      [0, key],
      [12, key],
    ],
  );
  await writeFile(at('7'), 'of-somebody');
  await assert.rejects(ringOfDirectory(directory.path, '--keys-from', 0), (error: Error) =>
    /\/7, .* is not a Fernet key$/.test(error.message),
  );
});

test('--keys-from accepts only known key repositories, each at most once', () => {
  assert.deepEqual([...directoriesOf(['fernet=/a=b'], keystone.keys!)], [['fernet', '/a=b']]);
  assert.throws(() => directoriesOf(['/etc/keys'], keystone.keys!), /write NAME=DIRECTORY/);
  assert.throws(() => directoriesOf(['fernt=/a'], keystone.keys!), /no keys 'fernt'; did you mean 'fernet'\?/);
  assert.throws(() => directoriesOf(['fernet=/a', 'fernet=/b'], keystone.keys!), /given twice/);
});

test('an invalid line is rejected with its number, before the tool reads the file and quotes a password', async () => {
  await using directory = await privateDirectory('keys');
  const file = join(directory.path, 'keystone.conf');
  await writeFile(file, '[DEFAULT]\n[ldap]\npassword hunter2\n');
  const words = ['keys', 'rotate', 'keystone', 'credential', '--service-config', file];
  // The tool gets the key from a variable, so the file is not needed.
  const env = { HOME: '/nonexistent', OS_CREDENTIAL__KEY_REPOSITORY: '/keys' };
  const { code, stderr } = await runHelper('kolla-bootstrap', words, { env });
  assert.equal(code, 65);
  assert.match(stderr, /keystone\.conf: line 3 is not KEY = VALUE/);
  assert.doesNotMatch(stderr, /hunter2/);
});

/** Runs this script as the re-encryption tool. */
async function reencrypted(script: string, signal: AbortSignal = new AbortController().signal) {
  await using directory = await privateDirectory('tool');
  await writeFile(join(directory.path, 'keystone-manage'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { log } = recordedLog();
  const never = new AbortController().signal;
  const env = { PATH: `${directory.path}:${process.env['PATH']}`, OUT: join(directory.path, 'out') };
  const effects = { signal, log, deadline: never, timeoutMs: 1, configFile: '/etc/keystone/keystone.conf', env };
  const ring = newRing(0);
  const failure = await reencryptWith(credential!, ring, effects).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { failure, ring, out: await readFile(env.OUT, 'utf8').catch(() => '') };
}

test('the tool gets the keys in a private directory, which is removed afterwards', async () => {
  const { failure, out } = await reencrypted(
    'directory=$(sed -n "s/key_repository = //p" "$4"); printf %s "$directory" > "$OUT"; [ "$(ls "$directory" | tr "\\n" " ")" = "0 1 " ] && [ "$(stat -c %a "$directory")" = 700 ] && [ "$1 $2 $3 $5" = "--config-file /etc/keystone/keystone.conf --config-file credential_migrate" ]',
  );
  assert.equal(failure, undefined);
  assert.ok(out.startsWith(tmpdir()));
  await assert.rejects(stat(out), /ENOENT/);
});

test('a failing tool is reported with its last line, without a key', async () => {
  const { failure = '', ring } = await reencrypted(
    'directory=$(sed -n "s/key_repository = //p" "$4"); echo "bad $(cat $directory/1)" >&2; exit 3',
  );
  assert.match(
    failure,
    /^credential: keystone-manage exited with code 3; no key was dropped; its last line: bad \*\*\*$/,
  );
  assert.ok(!failure.includes(ring.keys.get(1)!));
});

test('a tool is stopped on shutdown', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('asked to end')), 100);
  assert.equal((await reencrypted('exec sleep 600', stop.signal)).failure, 'asked to end');
});

test('the printed Role covers these Secrets only', async () => {
  const { code, stdout } = await runHelper('kolla-bootstrap', [
    'keys',
    'rbac',
    'keystone',
    'fernet',
    '-n',
    'openstack',
    '--service-account',
    'rotator',
  ]);
  assert.equal(code, 0);
  const [role] = stdout.split('---\n').map((text) => load(text) as { kind: string; rules: unknown });
  assert.deepEqual(role?.rules, [
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['keystone-fernet-keys'], verbs: ['get', 'update'] },
  ]);
});

for (const [words, code, text] of [
  [['rotate', 'glance'], 64, "no service 'glance' whose keys are known; try keystone"],
  [['rotate', 'keystone', 'fernt'], 64, "keystone has no keys 'fernt'; did you mean 'fernet'?"],
  [['rotte', 'keystone'], 64, "unknown action 'rotte'; did you mean 'rotate'?"],
  [['rbac', 'keystone'], 64, "--service-account is missing: name the Pod's own, whose permissions no other Pod gets"],
  [['rbac', 'keystone', '-n', 'A', '--service-account', 'a'], 64, "--namespace: 'A' is not a valid Kubernetes name"],
  [
    ['status', 'keystone'],
    65,
    'there is no /nonexistent/.kube/config, and this is no Pod (KUBERNETES_SERVICE_HOST is not set). Give --kubeconfig FILE, or run',
  ],
] as const) {
  test(`kolla-bootstrap keys ${words.join(' ')} exits with code ${code}`, async () => {
    const finished = await runHelper('kolla-bootstrap', ['keys', ...words], { env: { HOME: '/nonexistent' } });
    assert.equal(finished.code, code, finished.stderr);
    assert.ok(
      logLines(finished.stderr).some(({ msg }) => msg.includes(text)),
      finished.stderr,
    );
  });
}
