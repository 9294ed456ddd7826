import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { KINDS, parseDependency, type Dependency } from '../../../src/wait/index.ts';
import { randomFrom } from '../../support/random.ts';
import { formatDependency } from './format.ts';

const ROUNDS = 20_000;

const MARKS = '!|!|/|://|:|@|?|&|#|=|%|%26|%2|{|}|{.a}|[::1]|,| |\0'.split('|');
const NAMES = [...'a|keystone-db-sync|ns|3306|:3306|/run/x|.|-|Ä|\u{1F600}|\uD800'.split('|'), 'A'.repeat(300)];
const OPTIONS = [
  ...'label=|label=app=x|condition=Ready|condition=Ready=False|timeout=5m|timeout=1h30m|release=1 2'.split('|'),
  ..."node=own|db-sync=x|jsonpath={.a['}']}=%25|jsonpath={.a}".split('|'),
];
const WORDS = [
  ...KINDS.flatMap(({ word, aliases }) => [word, ...aliases]),
  ...'pvc|widget|widgets.example.org|jbo||user:secret@|http://h/?q=1'.split('|'),
  ...MARKS,
  ...NAMES,
  ...OPTIONS,
];

/** Texts that are almost valid, or completely invalid. */
function someText(random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  if (random() < 0.5) return Array.from({ length: Math.ceil(random() * 8) }, () => pick(WORDS)).join('');
  const { word, form } = pick(KINDS);
  const options = Array.from({ length: Math.floor(random() * 3) }, () => pick(OPTIONS)).join('&');
  const not = random() < 0.3 ? '!' : '';
  const rest = options === '' ? '' : `${form === 'url' ? '#' : '?'}${options}`;
  if (form === 'object') return `${not}${word}${random() < 0.7 ? '/a' : ''}${random() < 0.3 ? '@ns' : ''}${rest}`;
  return `${not}${word}${form === 'path' ? ':/run/x' : '://h:1'}${rest}`;
}

/** The dependency without its text, which may change in a round trip. */
function meaningOf(dependency: Dependency): object {
  return { ...dependency, text: '' };
}

test(`each of ${ROUNDS} texts is rejected or parsed, and a parsed one survives a round trip`, () => {
  const random = randomFrom(20_261);
  let read = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = someText(random);
    let dependency: Dependency;
    try {
      dependency = parseDependency(text);
    } catch (error) {
      assert.ok(error instanceof UsageError, `round ${round}: ${JSON.stringify(text)}: ${String(error)}`);
      continue;
    }
    read++;
    const written = formatDependency(dependency);
    assert.deepEqual(
      meaningOf(parseDependency(written)),
      meaningOf(dependency),
      `round ${round}: ${JSON.stringify(text)} as ${written}`,
    );
    assert.equal(formatDependency(parseDependency(written)), written);
  }
  assert.ok(read > ROUNDS / 10, `only ${read} could be read`);
});

test('a formatted dependency remains a single one in the environment, where commas separate values', () => {
  const dependency = parseDependency('widget/a?jsonpath={.a}=x%2Cy%20&condition=Ready');
  assert.ok(!formatDependency(dependency).includes(','));
});
