import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, type Command } from '../../src/cli/command.ts';
import { ConfigError, UsageError } from '../../src/core/errors.ts';
import type { Option } from '../../src/cli/option.ts';
import { inputOf, resolveOptions, splitWords } from '../../src/cli/parse.ts';

const OPTIONS = [
  { flag: 'timeout', type: 'duration', env: 'T_TIMEOUT', default: '5s', help: '', example: '9s' },
  { flag: 'insecure', type: 'boolean', env: 'T_INSECURE', help: '', example: 'true' },
  { flag: 'count', type: 'integer', env: 'T_COUNT', help: '', example: '3' },
  { flag: 'output', short: 'o', type: 'choice', values: ['table', 'json'], env: 'T_OUTPUT', help: '', example: 'json' },
  { flag: 'wait', type: 'string', env: 'T_WAIT', repeat: true, help: '', example: 'job/x' },
  { flag: 'password', type: 'string', env: 'T_PASSWORD', secret: true, help: '', example: '...' },
  { flag: 'ca-file', type: 'path', env: 'T_CA_FILE', help: '', example: '/ca.pem' },
] as const satisfies readonly Option[];

function parse(argv: string[], env: NodeJS.ProcessEnv = {}, file: Record<string, string> = {}) {
  const words = splitWords(argv, OPTIONS, true);
  const options = resolveOptions(OPTIONS, words, env, {
    wordsOf: ({ flag }) => (file[flag] === undefined ? undefined : { words: [file[flag]], place: `f.yaml: ${flag}` }),
  });
  return { ...words, options };
}

function refusal(argv: string[], env: NodeJS.ProcessEnv = {}, file: Record<string, string> = {}): string {
  let message = '';
  assert.throws(
    () => parse(argv, env, file),
    (error: Error) => {
      message = error.message;
      const inFile = Object.keys(file).length > 0;
      return error instanceof (inFile ? ConfigError : UsageError);
    },
  );
  return message;
}

test('a flag takes precedence over the environment, then the file, then the default', () => {
  const env = { T_TIMEOUT: '2s' };
  const file = { timeout: '3s' };
  assert.equal(parse(['--timeout', '1s'], env, file).options['timeout'], 1000);
  assert.equal(parse([], env, file).options['timeout'], 2000);
  assert.equal(parse([], {}, file).options['timeout'], 3000);
  assert.equal(parse([]).options['timeout'], 5000);
});

test('an empty variable counts as unset', () => {
  assert.equal(parse([], { T_TIMEOUT: '' }, { timeout: '3s' }).options['timeout'], 3000);
});

test('a value follows a space or =', () => {
  assert.equal(parse(['--count=7']).options['count'], 7);
  assert.equal(parse(['--count', '7']).options['count'], 7);
});

test('an unknown option names the nearest one', () => {
  assert.equal(refusal(['--timeuot', '1s']), "unknown option --timeuot; did you mean '--timeout'?");
});

test('an unknown option without a similar one lists all options except secrets', () => {
  const message = refusal(['--zzzzzzzz']);
  assert.match(message, /try --timeout, --insecure/);
  assert.doesNotMatch(message, /password/);
});

test('a one-letter flag is valid only if the table has it', () => {
  assert.equal(parse(['-o', 'json']).options['output'], 'json');
  assert.match(refusal(['-t', '1s']), /^unknown option -t/);
});

test('a missing value is reported with an example', () => {
  assert.equal(refusal(['--timeout']), '--timeout needs a value, such as --timeout 9s');
  assert.equal(refusal(['--ca-file=']), '--ca-file needs a value, such as --ca-file /ca.pem');
});

test('an option is not taken as the value of the previous one', () => {
  assert.match(refusal(['--timeout', '--insecure']), /'--insecure' looks like an option/);
  assert.deepEqual(parse(['--wait=-x']).options['wait'], ['-x']);
});

test('an option given twice is rejected, unless it may be repeated', () => {
  assert.equal(refusal(['--count', '1', '--count', '2']), '--count is given twice');
  assert.deepEqual(parse(['--wait', 'a', '--wait', 'b']).options['wait'], ['a', 'b']);
});

test('a variable may contain several values separated by commas', () => {
  assert.deepEqual(parse([], { T_WAIT: 'a, b,' }).options['wait'], ['a', 'b']);
});

test('a boolean flag is set by its name, and cleared by --no- and =false', () => {
  const env = { T_INSECURE: 'true' };
  assert.equal(parse(['--insecure']).options['insecure'], true);
  assert.equal(parse([], env).options['insecure'], true);
  assert.equal(parse(['--no-insecure'], env).options['insecure'], false);
  assert.equal(parse(['--insecure=false'], env).options['insecure'], false);
  assert.equal(parse([]).options['insecure'], false);
});

test('--no- is accepted only for boolean flags, and takes no value', () => {
  assert.match(refusal(['--no-timeout']), /^unknown option --no-timeout/);
  assert.equal(refusal(['--no-insecure=true']), '--no-insecure takes no value');
});

test('an invalid value is reported with its source: the flag, the variable or the file', () => {
  assert.equal(refusal(['--count', 'many']), "--count: 'many' is not a whole number");
  assert.equal(refusal([], { T_COUNT: '-1' }), "T_COUNT: '-1' is not a whole number");
  // Larger than the integers that a JavaScript number represents exactly.
  assert.equal(refusal(['--count', '1'.repeat(16)]), `--count: '${'1'.repeat(16)}' is not a whole number`);
  assert.equal(refusal([], {}, { count: '1.5' }), "f.yaml: count: '1.5' is not a whole number");
  assert.equal(refusal([], { T_INSECURE: 'yes' }), "T_INSECURE: 'yes' is neither true nor false");
});

test('an invalid choice names the nearest one', () => {
  assert.equal(refusal(['-o', 'jsno']), "--output: 'jsno' is not one of table, json; did you mean 'json'?");
});

test('a secret is rejected as a flag, with the two alternatives, and is not shown', () => {
  const message = refusal(['--password', 'hunter2']);
  assert.match(message, /set T_PASSWORD, or give --password-file/);
  assert.doesNotMatch(message, /hunter2/);
  assert.doesNotMatch(refusal(['--password=hunter2']), /hunter2/);
  assert.equal(parse([], { T_PASSWORD: 'hunter2' }).options['password'], 'hunter2');
});

test('arguments after -- are passed to the child, even those that look like ours', () => {
  const { operands, child } = parse(['a', '--', '--count', 'x', '--']);
  assert.deepEqual([operands, child], [['a'], ['--count', 'x', '--']]);
});

test('a command without a child takes arguments after -- as operands', () => {
  assert.deepEqual(splitWords(['--', '-x'], OPTIONS, false).operands, ['-x']);
});

const EXAMPLES: Command['examples'] = [
  { line: '', does: '' },
  { line: '', does: '' },
];

function input(operands: Command['operands'], argv: string[], others?: string[]) {
  const one = command({ summary: '', operands, options: [], examples: EXAMPLES, run: () => Promise.resolve(0) });
  return inputOf(one, splitWords(argv, [], false), {}, 'usage', others).operands;
}

test('operands are counted: a missing one is reported by name, an extra one by value', () => {
  const two = [
    { name: 'A', help: '' },
    { name: 'B', help: '', optional: true },
  ] as const;
  assert.throws(() => input(two, []), new UsageError('A is missing: usage'));
  assert.throws(() => input(two, ['1', '2', '3']), new UsageError("unexpected argument '3': usage"));
  assert.deepEqual(input(two, ['1']), ['1']);
});

test("an extra argument similar to a command's name has a suggestion", () => {
  const said = "unexpected argument 'chekc': usage; did you mean 'check'?";
  assert.throws(() => input([], ['chekc'], ['plan', 'check']), new UsageError(said));
});

test('the last operand may take all remaining arguments', () => {
  assert.deepEqual(input([{ name: 'A', help: '', many: true }], ['1', '2', '3']), ['1', '2', '3']);
});

test('an operand with known values names the nearest one', () => {
  const shell = [{ name: 'SHELL', help: '', values: ['bash', 'zsh'] }];
  assert.throws(() => input(shell, ['bahs']), new UsageError("unknown shell 'bahs'; did you mean 'bash'?"));
});
