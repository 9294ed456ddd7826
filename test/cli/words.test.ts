import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '../../src/core/duration.ts';
import { messageOf } from '../../src/core/errors.ts';
import { nearest, suggestion } from '../../src/core/nearest.ts';
import { fold, table } from '../../src/cli/table.ts';
import { paint, terminalOf, visibleLength } from '../../src/core/terminal.ts';

test("durations are parsed in Kubernetes' notation", () => {
  for (const [text, ms] of [
    ['0', 0],
    ['900ms', 900],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
  ] as const)
    assert.equal(parseDuration(text), ms, text);
});

test('the error for a duration without a unit suggests units', () => {
  assert.throws(() => parseDuration('30'), /'30' has no unit: write 30s, 30m or 30ms/);
});

test('an invalid duration is rejected', () => {
  for (const text of ['', 's', '-5s', '5 s', '5x', 'soon']) assert.throws(() => parseDuration(text), RangeError, text);
});

test("a duration longer than a timer's maximum is rejected, because it would end at once", () => {
  assert.throws(() => parseDuration('25d'), /longer than 24 days/);
  assert.equal(parseDuration('24d'), 24 * 86_400_000);
});

test('durations are formatted as short as possible', () => {
  const spellings = [0, 999, 4200, 60_000, 125_000, 5_400_000, 7_200_000].map(formatDuration);
  assert.deepEqual(spellings, ['0ms', '999ms', '4.2s', '1m', '2m05s', '1h30m', '2h']);
});

test('the nearest word is found after a transposition, a typo or a truncation', () => {
  const words = ['tcp', 'http', 'timeout'];
  assert.equal(nearest('tpc', words), 'tcp');
  assert.equal(nearest('timeot', words), 'timeout');
  assert.equal(nearest('time', words), 'timeout');
  assert.equal(nearest('mariadb', words), undefined);
});

test('if no word is similar, all words are suggested', () => {
  assert.equal(suggestion('xxxxxx', ['a', 'b']), '; try a, b');
  assert.equal(suggestion('x', []), '');
});

const plain = (width: number) => ({ isTerminal: false, color: false, width });

test('a table wraps its last column at the width', () => {
  const text = table(plain(60), ['A', 'B'], [['one', 'word '.repeat(20).trim()]]);
  assert.ok(text.split('\n').every((line) => line.length <= 60));
  assert.match(text, /^A {4}B\none {2}word word[^]*\n {5}word/);
});

test('a last column that would be too narrow moves below the others', () => {
  const text = table(plain(40), [], [['--a-rather-long-flag', 'what it does, in rather many words']]);
  assert.equal(text, '--a-rather-long-flag\n      what it does, in rather many words\n');
});

test('a short last column stays next to the others', () => {
  const text = table(plain(40), [], [['--a-rather-long-flag', 'what it does']]);
  assert.equal(text, '--a-rather-long-flag  what it does\n');
});

test('colours do not count as columns', () => {
  const terminal = { ...plain(80), color: true };
  const red = paint(terminal, 'red', 'no');
  assert.equal(visibleLength(red), 2);
  assert.equal(
    table(
      terminal,
      [],
      [
        [red, 'x'],
        ['yes', 'x'],
      ],
    ),
    `${red}   x\nyes  x\n`,
  );
});

test('a table without rows is empty', () => {
  assert.equal(table(plain(80), [], []), '');
});

test('a word longer than the line stays whole', () => {
  assert.deepEqual(fold('a /very/long/path b', 5), ['a', '/very/long/path', 'b']);
});

test('NO_COLOR and TERM=dumb turn colours off, FORCE_COLOR turns them on', () => {
  const color = (isTTY: boolean, env: NodeJS.ProcessEnv) => terminalOf({ isTTY }, env).color;
  assert.equal(color(true, {}), true);
  assert.equal(color(true, { NO_COLOR: '1' }), false);
  assert.equal(color(true, { NO_COLOR: '' }), true);
  assert.equal(color(true, { TERM: 'dumb' }), false);
  assert.equal(color(false, {}), false);
  assert.equal(color(false, { FORCE_COLOR: '1' }), true);
  assert.equal(color(false, { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
});

test("the width is the terminal's, else COLUMNS, else 80", () => {
  assert.equal(terminalOf({ columns: 132 }, { COLUMNS: '50' }).width, 132);
  assert.equal(terminalOf({ columns: 0 }, { COLUMNS: '50' }).width, 50);
  assert.equal(terminalOf({}, { COLUMNS: 'wide' }).width, 80);
});

test('an error contains its system code once', () => {
  const error = (message: string, code?: string) => Object.assign(new Error(message), { code });
  assert.equal(messageOf(error('', 'ECONNREFUSED')), 'ECONNREFUSED');
  assert.equal(messageOf(error('ENOENT: no such file', 'ENOENT')), 'ENOENT: no such file');
  assert.equal(messageOf(error('self-signed', 'CERT')), 'CERT: self-signed');
  assert.equal(messageOf('text'), 'text');
});
