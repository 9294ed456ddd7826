import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { yamlText, type YamlValue } from '../../src/core/yaml-text.ts';
import { oneOf, randomFrom } from '../support/random.ts';

const none = () => undefined;

const TEXTS: readonly string[] = [
  'plain',
  '/etc/keystone',
  '--root',
  '-x',
  'a b',
  'a: b',
  '#a',
  'a#b',
  '',
  ' a',
  'a\n',
  '"',
  "'",
  '\\',
  '[',
  '{}',
  '&a',
  '*a',
  '!a',
  '%a',
  '@a',
  '`',
  '?',
  '-',
  '--',
  '---',
  '...',
  'é',
  '\u0000',
  '64Mi',
  '64',
  '0x1',
  '1e3',
  '.5',
  'yes',
  'No',
  'on',
  'OFF',
  'y',
  'null',
  '~',
  'true',
  '12:30:45',
  '2026-11-21',
  '<<',
  '=',
  '0o17',
  '1_000',
  '.nan',
];

/** Parts of a text with several lines. */
const PIECES = [
  '\n',
  '\n',
  ' ',
  '  ',
  '\t',
  'a',
  'b: c',
  '- d',
  '#',
  '---',
  '\r',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ufeff',
  '😀',
  '|',
  '\u0000',
];

for (const [spec, options] of [
  ['1.2', {}],
  ['1.1', { schema: YAML11_SCHEMA }],
] as const) {
  test(`a YAML ${spec} parser reads back every text, as item, value and key`, () => {
    for (const text of TEXTS) {
      // `<<` as a key is a merge in YAML 1.1, whatever its quotes.
      const value: YamlValue = {
        list: [text],
        map: { [text === '<<' ? 'key' : text]: text },
        long: [{ x: text }, [text]],
      };
      assert.deepEqual(load(yamlText(value, none), options), value, JSON.stringify(text));
    }
  });
}

test('empty lists and mappings, numbers and null are read back unchanged', () => {
  const value = { a: [], b: {}, c: [{}, [], null], d: { e: 1.5, f: true, g: null } };
  assert.deepEqual(load(yamlText(value, none)), value);
});

test('a list of mappings has one line per item, and a long mapping one line per key', () => {
  const long = { name: 'x'.repeat(60), other: 'y'.repeat(60) };
  assert.equal(
    yamlText({ short: { a: 1 }, list: [{ a: 1 }, long] }, none),
    `short: { a: 1 }\nlist:\n  - { a: 1 }\n  - name: ${long.name}\n    other: ${long.other}\n`,
  );
});

test('a comment is above its item, on separate lines', () => {
  const item = { a: 1 };
  assert.equal(
    yamlText({ list: [item, 2] }, (each) => (each === item ? 'first\nsecond' : undefined)),
    'list:\n  # first\n  # second\n  - { a: 1 }\n  - 2\n',
  );
});

test('a multi-line text is a block, and is read back with all its spaces', () => {
  assert.equal(yamlText({ data: { a: 'one\n\n  two\n' } }, none), 'data:\n  a: |\n    one\n\n      two\n');
  const random = randomFrom(7);
  for (let i = 0; i < 5_000; i++) {
    const length = Math.floor(random() * 12);
    const text = Array.from({ length }, () => oneOf(random, PIECES)).join('');
    for (const value of [{ a: { b: text } }, { list: [{ a: text, b: 1 }] }] as YamlValue[])
      assert.deepEqual(load(yamlText(value, none)), value, JSON.stringify(text));
  }
});
