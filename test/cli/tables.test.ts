import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandsOf } from '../../src/cli/command.ts';
import { COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import { ExitCode } from '../../src/core/errors.ts';
import { EXIT_CODES } from '../../src/core/exit-codes.ts';
import { SECTIONS } from '../../src/cli/sections.ts';
import { sectionOf } from '../../src/cli/command.ts';
import { parseValue, type Option } from '../../src/cli/option.ts';
import { table } from '../../src/cli/table.ts';
import { VERSION } from '../../src/core/version.ts';
import { all } from '../../src/toolbox/index.ts';

const COMMANDS = all().flatMap((helper) =>
  commandsOf(helper).map(([name, command]) => ({ at: `${helper.name} ${name}`, command })),
);

/** Every option of every helper with its location. */
const OPTIONS = COMMANDS.flatMap(({ at, command }) =>
  command.options.map((option: Option) => ({ at: `${at} --${option.flag}`, option, siblings: command.options })),
);

test('no command has two options with one name, or one named like a common option', () => {
  for (const { at, command } of COMMANDS) {
    const flags = [...command.options, ...COMMON_OPTIONS].map(({ flag }) => flag);
    assert.equal(new Set(flags).size, flags.length, at);
  }
});

test('every secret has a flag for a file that contains it', () => {
  for (const { at, option, siblings } of OPTIONS.filter((one) => one.option.secret))
    // A path, or [NAME=]FILE if there may be several.
    assert.ok(
      siblings.some(({ flag, type, repeat }) => flag === `${option.flag}-file` && (type === 'path' || repeat === true)),
      at,
    );
});

test('every example value and default is valid', () => {
  for (const { at, option } of OPTIONS) {
    assert.doesNotThrow(() => parseValue(option, option.example), at);
    if (option.default !== undefined && option.default !== '')
      assert.doesNotThrow(() => parseValue(option, option.default ?? ''), at);
  }
});

test('every option with choices lists them, and no other option does', () => {
  for (const { at, option } of OPTIONS) assert.equal(option.values !== undefined, option.type === 'choice', at);
});

test('no option is named like a command of its helper, which share a section', () => {
  for (const { name, main, commands } of all())
    for (const option of main?.options ?? []) assert.ok(!(option.flag in commands), `${name} ${option.flag}`);
});

test('every helper with options has a section in kolla-pod.yaml', () => {
  for (const helper of all().filter((each) => commandsOf(each).some(([, { options }]) => options.length > 0)))
    assert.ok((SECTIONS as readonly string[]).includes(sectionOf(helper)), helper.name);
});

test('every exit code is explained, for existing helpers', () => {
  assert.deepEqual(
    EXIT_CODES.map(({ code }) => code),
    Object.values(ExitCode).toSorted((a, b) => a - b),
  );
  const names = new Set(all().map(({ name }) => name));
  for (const { helpers = {} } of EXIT_CODES) for (const name of Object.keys(helpers)) assert.ok(names.has(name), name);
});

test('the version equals that of package.json', async () => {
  const file = new URL('../../package.json', import.meta.url);
  assert.equal((JSON.parse(await readFile(file, 'utf8')) as { version: string }).version, VERSION);
});

test('a short last column stays next to the others, and an empty one adds no line', () => {
  const terminal = { isTerminal: false, color: false, width: 40 };
  assert.equal(
    table(
      terminal,
      [],
      [
        ['a name that is long enough', '38 ms'],
        ['b', ''],
      ],
    ),
    'a name that is long enough  38 ms\nb\n',
  );
});

test('a long last column goes below the others where it would be too narrow', () => {
  const terminal = { isTerminal: false, color: false, width: 40 };
  const text = 'one two three four five six seven eight nine ten';
  assert.equal(
    table(terminal, [], [['a name that is long enough', text]]),
    'a name that is long enough\n      one two three four five six seven\n      eight nine ten\n',
  );
});
