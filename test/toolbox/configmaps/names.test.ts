import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAME_RULES } from '../../../src/kube/names.ts';
import { fileName, keyName, slug, versionOf } from '../../../src/toolbox/configmaps/names.ts';
import { oneOf, randomFrom } from '../../support/random.ts';

const CASES = 5_000;
const LETTERS = [...Array.from('aabbAB019-_.. /ß€😀~%:'), '\n', '-1a2b3c4d'];

function paths(seed: number): Set<string> {
  const random = randomFrom(seed);
  const made = Array.from({ length: CASES }, () =>
    Array.from({ length: 1 + Math.floor(random() ** 4 * 200) }, () => oneOf(random, LETTERS)).join(''),
  );
  // Paths that look like generated names are the most likely to collide.
  return new Set([...made, ...made.map(fileName), ...made.map(keyName)]);
}

test("a file's object has a DNS name after its service, and a key accepted by the API server", () => {
  for (const path of paths(1)) {
    const name = `${'s'.repeat(63)}-${fileName(path)}-0123456789`;
    assert.match(name, NAME_RULES.subdomain.is, JSON.stringify(path));
    assert.match(`s-${slug(path)}-0123456789`, NAME_RULES.subdomain.is, JSON.stringify(path));
    assert.match(keyName(path), /^(?!\.\.?$|\.\.)[-._a-zA-Z0-9]{1,253}$/, JSON.stringify(path));
  }
});

test('no two paths share a name, or a key', () => {
  const all = paths(2);
  for (const naming of [fileName, keyName]) assert.equal(new Set([...all].map(naming)).size, all.size);
});

test('a valid name is not changed', () => {
  for (const path of ['keystone.conf', 'api-paste.ini', 'release', '0']) {
    assert.equal(fileName(path), path);
    assert.equal(keyName(path), path);
  }
  assert.equal(keyName('ml2_conf.ini'), 'ml2_conf.ini');
  assert.match(fileName('ml2_conf.ini'), /^ml2-conf\.ini-[0-9a-f]{8}$/);
  assert.match(keyName('domains/x.conf'), /^domains-x\.conf-[0-9a-f]{8}$/);
});

test('a version covers paths and contents, and their boundaries', () => {
  const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) });
  const versions = [
    [file('a', 'b')],
    [file('a', 'c')],
    [file('b', 'b')],
    [file('a', 'b'), file('c', '')],
    [file('a', 'b'), file('', 'c')],
    [file('ab', '')],
  ].map(versionOf);
  assert.equal(new Set(versions).size, versions.length);
  assert.equal(versionOf([file('a', 'b')]), versions[0]);
});
