import assert from 'node:assert/strict';
import { structuredPatch } from 'diff';
import { test } from 'node:test';
import { reveal, type Content, type Sides } from '../../../src/config/check/reveal.ts';
import { oneOf, randomFrom } from '../../support/random.ts';
import { randomDocument } from './random-document.ts';

const KEY = Buffer.alloc(32);

function shown(actual: string | Buffer, wanted: string | Buffer, more: Partial<Sides> = {}): Content {
  const sides = { dest: '/etc/a.conf', isPrivate: false, ...more };
  return reveal(
    { actual: Buffer.from(actual), wanted: Buffer.from(wanted), ...sides },
    (text) => text,
    structuredPatch,
    KEY,
  );
}

test('a world-readable INI file is shown as a diff', () => {
  assert.deepEqual(shown('[a]\nx = 1\ny = 2\n', '[a]\nx = 1\ny = 3\n').diff, [
    '@@ -1,3 +1,3 @@',
    ' [a]',
    ' x = 1',
    '-y = 2',
    '+y = 3',
  ]);
});

test('in a private file names are shown, and every value as a digest', () => {
  const { diff } = shown('[a]\n# hunter2\nregion = hunter2\n', '[a]\nregion = hunter3\n', { isPrivate: true });
  assert.deepEqual(diff, [
    '@@ -1,3 +1,2 @@',
    ' [a]',
    '-# <digest:2be29aee>',
    '-region = <digest:b111d262>',
    '+region = <digest:de6bc7ad>',
  ]);
});

test('in a private file booleans, small numbers and addresses are shown, unless their names suggest a secret', () => {
  const text = '[a]\ndebug = True\nworkers=5\nmy_ip = fd00::3\n';
  const closed = { isPrivate: true };
  assert.deepEqual(shown('', text, closed).diff?.slice(1), ['+[a]', '+debug = True', '+workers=5', '+my_ip = fd00::3']);
  const secret = shown('', '[a]\npin = 1234\npassword = 10.0.0.3\nid = 123456\nname = on 1\n', closed).diff;
  assert.deepEqual(
    secret?.map((line) => line.replace(/[0-9a-f]{8}/, '')).slice(2),
    ['pin', 'password', 'id', 'name'].map((name) => `+${name} = <digest:>`),
  );
});

for (const [name, line] of [
  ['a password', 'admin_password = hunter2'],
  ['a secret key', 'memcache_secret_key: hunter2'],
  ['a URL with a user', 'connection = mysql+pymysql://nova:hunter2@db/nova'],
  ['several URLs', 'transport_url = rabbit://a:hunter2@b:5672,c:hunter2@d:5672//'],
  ['a URL with odd characters in its password', 'url = x://a:hunter2#/?@b'],
  ['a query', 'url = x://a/b?password=hunter2'],
  ['a header', 'extra = Authorization: Basic hunter2'],
  ['a value with a continuation line', 'admin_password =\n  hunter2\n  hunter2'],
  ['a continuation line with a secret', 'backends = a\n  password: hunter2'],
  ['a comment', '# admin_password = hunter2'],
  ['a section of secrets', '[secrets]\nname = hunter2'],
  ['a value that looks like a key', 'value = hunter2Aabcdefghijklmnopqrstuvwxyz012345'],
] as const) {
  test(`${name} is shown as a digest in a world-readable INI file`, () => {
    const { diff } = shown(`[a]\nx = 1\n${line}\n`, `[a]\nx = 2\n${line.replaceAll('hunter2', 'hunter3')}\n`);
    assert.ok(diff?.includes('-x = 1'), String(diff));
    assert.ok(diff?.some((one) => /^\+.*<digest:[0-9a-f]{8}>$/.test(one)));
    assert.doesNotMatch(String(diff), /hunter/);
  });
}

for (const [name, text] of [
  ['a list on one line', '["hunter2"]\n'],
  ['a word in brackets', '[hunter2]\n'],
  ['a key in base64', 'aHVudGVyMg==\n'],
  ['a user and a password', 'guest:hunter2\n'],
  ['a keyring', '[client.glance]\n\tkey = hunter2==\n'],
  ['an invalid name', '[a]\nhunter2 hunter2 = x\n'],
] as const) {
  test(`${name}, which only looks like INI, is not shown if the file is private`, () => {
    const content = shown(text, `${text}# more\n`, { isPrivate: true });
    assert.equal(content.hidden, 'others may not read the file');
    assert.doesNotMatch(JSON.stringify(content), /hunter2/);
  });
}

test('other world-readable text is shown, unless its content or name suggests a secret', () => {
  assert.deepEqual(shown('listen 80\n', 'listen 81\n').diff, ['@@ -1,1 +1,1 @@', '-listen 80', '+listen 81']);
  assert.equal(shown('{"password": "hunter2"}', '{}').hidden, 'it may contain a secret');
  assert.equal(shown('listen 80\n', 'listen 81\n', { dest: '/etc/ssl/private/a' }).hidden, 'it may contain a secret');
});

test('binary, too long, or entirely different content is reported by sizes and digests', () => {
  const { hidden, actual, wanted } = shown(Buffer.from([0, 1]), 'ab\n');
  assert.deepEqual(
    { hidden, actual, wanted },
    { hidden: 'it is not text', actual: { bytes: 2, digest: '53fa9028' }, wanted: { bytes: 3, digest: 'f866d95f' } },
  );
  assert.equal(shown(Buffer.from([0xff]), '').hidden, 'it is not text');
  assert.equal(shown('x'.repeat(300_000), '').hidden, 'it is too long');
  const lines = (word: string) => Array.from({ length: 3_000 }, (_, i) => `${word} ${i}\n`).join('');
  assert.equal(shown(lines('a'), lines('b')).hidden, 'nearly all of it differs');
});

test('a diff is truncated at a useful length, and cannot control the terminal', () => {
  const diff = shown('', Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`).join('')).diff;
  assert.equal(diff?.at(-1), '... 601 lines more');
  assert.ok(
    shown('', `${'x'.repeat(1_000)}\n`)
      .diff?.at(-1)
      ?.endsWith('xxx...'),
  );
  assert.equal(shown('', 'a\u001B[2Jb\n').diff?.at(-1), String.raw`+a\u001b[2Jb`);
});

test('a difference in line ends is not an empty diff', () => {
  assert.equal(shown('[a]\nb = 1\n', '[a]\r\nb = 1\r\n').hidden, 'only spaces differ');
});

test('digests of two runs differ', () => {
  const sides = { dest: '/a', actual: Buffer.from([0]), wanted: Buffer.from([0, 1]), isPrivate: true };
  const by = (key: Buffer) => reveal(sides, (text) => text, structuredPatch, key).actual.digest;
  assert.equal(by(KEY), by(Buffer.alloc(32)));
  assert.notEqual(by(KEY), by(Buffer.alloc(32, 1)));
});

test('a secret known by its value is hidden everywhere', () => {
  const sides = { dest: '/a', actual: Buffer.from('x'), wanted: Buffer.from('listen hunter2'), isPrivate: false };
  const { diff } = reveal(sides, (text) => text.replaceAll('hunter2', '***'), structuredPatch, KEY);
  assert.ok(diff?.includes('+listen ***'));
});

test('no secret planted in any INI, YAML or JSON file is ever shown', () => {
  let diffs = 0;
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = randomFrom(seed);
    const isPrivate = random() < 0.3;
    const [actual, wanted] = [randomDocument(random), randomDocument(random)];
    const one = random() < 0.5 ? wanted : actual;
    const dest = oneOf(random, ['/etc/nova/nova.conf', '/etc/nova/policy.yaml', '/etc/x.json']);
    // In half of the cases the wanted side is one of the two files with other secrets.
    const other = random() < 0.5 ? one.text.replaceAll('PLANTED', 'PLANTED2') : wanted.text;
    const content = shown(actual.text, other, { isPrivate, dest });
    if (content.diff !== undefined) diffs++;
    assert.doesNotMatch(
      JSON.stringify(content),
      /PLANTED/,
      JSON.stringify({ seed, isPrivate, actual, other, content }),
    );
  }
  assert.ok(diffs > 500, `only ${diffs} diffs: too few to prove anything`);
});
