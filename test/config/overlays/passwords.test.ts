import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'js-yaml';
import { holdsSecret, makeOverlay, type Overlay } from '../../../src/config/overlays/index.ts';
import { inMemory, privateDirectory, type Directory } from '../../../tools/directory.ts';

const CONF = '/etc/nova/nova.conf';
let directory: Directory;
before(async () => {
  directory = await privateDirectory('passwords', inMemory());
  await mkdir(join(directory.path, '.passwords'));
});
after(async () => await directory[Symbol.asyncDispose]());

async function mounted(passwords: Record<string, string | Buffer>): Promise<void> {
  for (const [name, value] of Object.entries(passwords)) await writeFile(pathOf(name), value);
}

const pathOf = (name: string) => join(directory.path, '.passwords', name);

function overlayOf(names: readonly string[], more: object = {}): Overlay {
  const passwords = names.map((name) => ({
    file: CONF,
    name,
    source: `/var/lib/kolla/config_files/.passwords/${name}`,
    secret: 'openstack',
    key: `key-of-${name}`,
  }));
  const overlay = makeOverlay('kolla-pod.yaml', { passwords, ...more }, { POD_IP: '10.0.0.3' }, directory.path);
  return overlay ?? assert.fail('an overlay');
}

function filled(names: readonly string[], content: string, more: object = {}): string {
  return overlayOf(names, more).apply(CONF, Buffer.from(content)).toString();
}

function refusal(names: readonly string[], content: string): string {
  let message = '';
  assert.throws(
    () => filled(names, content),
    (error: Error) => {
      message = error.message;
      return error instanceof RangeError;
    },
  );
  return message;
}

test('a password replaces its placeholder, and every other byte stays', async () => {
  await mounted({ db: 'hunter2é' });
  const kept = Buffer.concat([Buffer.from('a $(hostname) $(POD_IP) $$ '), Buffer.from([0xff, 0, 0xc3])]);
  const content = Buffer.concat([kept, Buffer.from('$(password:db)/$(password:db)\n')]);
  const wanted = Buffer.concat([kept, Buffer.from('hunter2é/hunter2é\n')]);
  assert.deepEqual(overlayOf(['db']).apply(CONF, content), wanted);
});

for (const [form, wanted] of [
  ['', String.raw`p\@/%+:'"é$ #!~*()`],
  [':url', 'p%5C%40%2F%25%2B%3A%27%22%C3%A9%24%20%23%21~%2A%28%29'],
  [':sql', String.raw`p\\@/%+:''"é$ #!~*()`],
  [':quoted', String.raw`p\\@/%+:'\"é$ #!~*()`],
] as const)
  test(`a password is escaped for its form: ${form === '' ? 'none' : form}`, async () => {
    await mounted({ db: String.raw`p\@/%+:'"é$ #!~*()` });
    assert.equal(filled(['db'], `<$(password:db${form})>`), `<${wanted}>`);
  });

for (const [form, bad, what] of [
  ['oslo', 'a$b', 'must not contain $, quotes or spaces, which oslo.config would change'],
  ['oslo', 'a b', 'must not contain $, quotes or spaces'],
  ['oslo', `a'b`, 'must not contain $, quotes or spaces'],
  ['oslo', 'a"b', 'must not contain $, quotes or spaces'],
  ['rabbitmq', 'a#b', 'must not contain #, single quotes or spaces'],
  ['rabbitmq', `a'b`, 'must not contain #, single quotes or spaces'],
  ['rabbitmq', 'a b', 'must not contain #, single quotes or spaces'],
] as const)
  test(`${form} rejects a password that would be misread: ${bad}`, async () => {
    await mounted({ db: bad, good: String.raw`p\@/%+:` });
    const message = refusal(['db'], `x = $(password:db:${form})`);
    assert.ok(
      message.includes(
        `kolla-pod.yaml: overlays.passwords[0]: the password db (key key-of-db of the Secret openstack) ${what}`,
      ),
      message,
    );
    assert.ok(!message.includes(bad), message);
    assert.equal(filled(['good'], `x = $(password:good:${form})`), String.raw`x = p\@/%+:`);
  });

test('nothing in a password is replaced by another password, a variable or an INI key', async () => {
  await mounted({ one: '$(password:two)$(POD_IP)$&', two: '$(password:one)' });
  const more = { text: [{ file: CONF }], ini: [{ file: CONF, key: 'b', value: '$(POD_IP)' }] };
  assert.equal(
    filled(['one', 'two'], '[DEFAULT]\na = $(password:one)\nb = $(password:two)\nc = $(password:two)$(POD_IP)\n', {
      ...more,
      ini: [{ file: CONF, key: 'd', value: '$(POD_IP)' }],
    }),
    '[DEFAULT]\na = $(password:two)$(POD_IP)$&\nb = $(password:one)\nc = $(password:one)10.0.0.3\nd = 10.0.0.3\n',
  );
});

test('missing passwords are reported with Secret and key, all of a file together', () => {
  const message = refusal(['gone', 'lost'], '$(password:gone) $(password:lost:url)');
  for (const [i, name] of ['gone', 'lost'].entries())
    assert.ok(
      message.includes(
        `overlays.passwords[${i}]: the password ${name}: there is no file ${pathOf(name)}; mount key key-of-${name} of the Secret openstack there`,
      ),
      message,
    );
});

test('an empty password without a Secret and key is named by its mounted file', async () => {
  await mounted({ db: '' });
  const section = { passwords: [{ file: CONF, name: 'db', source: pathOf('db') }] };
  const overlay = makeOverlay('f', section, {});
  assert.throws(() => overlay?.apply(CONF, Buffer.from('$(password:db)')), {
    message: `f: overlays.passwords[0]: the password db (the file ${pathOf('db')}) is empty; give it a value`,
  });
});

test('a password that this user may not read is a separate error', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root reads every file');
  await mounted({ shut: 'x' });
  await chmod(pathOf('shut'), 0);
  assert.match(refusal(['shut'], '$(password:shut)'), /shut cannot be read \(permission denied/);
});

for (const [value, what] of [
  ['', 'is empty'],
  ['hunter2\n', 'has a line break or another control character; write it without, by printf %s'],
  ['hun\0ter2', 'has a line break or another control character'],
  [Buffer.from([0x68, 0x75, 0xff]), 'is not UTF-8'],
] as const)
  test(`a password that no file can represent is rejected without being shown: ${what}`, async () => {
    await mounted({ db: value });
    const message = refusal(['db'], '$(password:db:url)');
    assert.ok(message.includes(`the password db (key key-of-db of the Secret openstack) ${what}`), message);
    assert.doesNotMatch(message, /hunter2|ter2/);
  });

test('an unlisted placeholder, an unknown form, and a password without a placeholder are rejected', async () => {
  await mounted({ db: 'x', unused: 'y' });
  const message = refusal(['db', 'unused'], '$(password:db:ulr) $(password:other)');
  for (const problem of [
    "overlays.passwords[0]: $(password:db:ulr): there is no form 'ulr'; did you mean 'url'?",
    '$(password:other) is not listed under overlays.passwords for this file',
    'overlays.passwords[1]: the file has no $(password:unused)',
  ])
    assert.ok(message.includes(problem), `${problem}\n  is not in\n${message}`);
});

test('each apply rereads the password', async () => {
  await mounted({ db: 'old' });
  const overlay = overlayOf(['db']);
  assert.equal(overlay.apply(CONF, Buffer.from('$(password:db)')).toString(), 'old');
  await mounted({ db: 'new' });
  assert.equal(overlay.apply(CONF, Buffer.from('$(password:db)')).toString(), 'new');
});

test("a file with a password counts as secret, regardless of the password's name", async () => {
  await mounted({ plain: 'hunter2' });
  const overlay = overlayOf(['plain']);
  assert.equal(holdsSecret(overlay, CONF), true);
  assert.equal(holdsSecret(overlay, '/etc/other'), false);
  overlay.apply(CONF, Buffer.from('$(password:plain)'));
  assert.deepEqual(overlay.secrets, ['hunter2']);
  assert.deepEqual([...overlay.files], [[CONF, 'kolla-pod.yaml: overlays.passwords[0]']]);
});

test('errors in the section are reported with their path', () => {
  const passwords = [
    { file: CONF, name: '../x', source: 'relative', kee: 'x' },
    { file: CONF, name: 'db' },
    { file: CONF, name: 'db', source: '/a' },
  ];
  assert.throws(
    () => makeOverlay('f', { passwords }, {}),
    (error: Error) => {
      for (const problem of [
        'overlays.passwords[0].name: must be a name of letters',
        'overlays.passwords[0].source: must be the absolute path of a file',
        "overlays.passwords[0].kee: there is no such key; did you mean 'key'?",
        'overlays.passwords[1].source: is missing',
      ])
        assert.ok(error.message.includes(problem), `${problem}\n  is not in\n${error.message}`);
      return true;
    },
  );
  const one = { file: CONF, name: 'db', source: '/a' };
  assert.throws(
    () => makeOverlay('f', { passwords: [one, one] }, {}),
    /passwords\[1\]: duplicates overlays\.passwords\[0\]/,
  );
});

test('the documented example works', async () => {
  const page = await readFile(new URL('../../../docs/reference/kolla-init.md', import.meta.url), 'utf8');
  const example = /```yaml\n(overlays:\n {2}passwords:[^]*?)```/.exec(page)?.[1] ?? '';
  const { overlays } = load(example) as { overlays: unknown };
  await mounted({ nova_database_password: 'a/b' });
  const overlay = makeOverlay('docs', overlays, {}, directory.path);
  const content = 'connection = mysql://nova:$(password:nova_database_password:url)@db/nova';
  assert.ok(example.includes('$(password:nova_database_password:url)'));
  assert.equal(overlay?.apply(CONF, Buffer.from(content)).toString(), 'connection = mysql://nova:a%2Fb@db/nova');
});
