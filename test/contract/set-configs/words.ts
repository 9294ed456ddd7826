/** Kolla's tool names neither line nor column, nor a misspelt section. Ours does, with Kolla's exit codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canGiveFilesAway } from '../../../tools/capability.ts';
import { paths, perms } from './entries.ts';
import { CONFIG, linesOf, play, type Case } from './play.ts';
import type { Ended, Start } from './reference.ts';

const MISPLACED = { source: '/a', dest: '/b', owner: 'root', perm: '0600' };

const CASES: readonly (readonly [one: Case, code: number, line: string])[] = [
  ...Object.entries({
    '{"command": "x",}': 'a comma before } in line 1, column 16',
    '{"command": "x", "config_files": [\n]': 'it ends too early: { of line 1 is not closed',
    '\uFEFF{"command": "x"}': 'it begins with a byte order mark: save it as UTF-8 without one',
    '{"a": -Infinity, "b" 1}': 'a colon is missing in line 1, column 22',
    '': 'it is empty',
  }).map(
    ([text, why]) =>
      [
        { name: text, config: text },
        1,
        `ERROR InvalidConfig: Invalid json file found at /${CONFIG}/config.json: ${why}`,
      ] as const,
  ),
  ...Object.entries({
    '\tcommand: x\n': 'line 1 begins with a tab',
    'command: x\nfiles: [{a: b}\npermissions: []\n': '[ of line 2 is not closed',
  }).map(
    ([yaml, why]) =>
      [
        { name: yaml, yaml },
        1,
        `ERROR InvalidConfig: Invalid yaml file found at /${CONFIG}/config.yaml: ${why}`,
      ] as const,
  ),
  [
    { name: 'no config.json' },
    1,
    `ERROR InvalidConfig: Could not read file /${CONFIG}/config.json: it does not exist; mount the configuration there`,
  ],
  [
    { name: 'a misspelt section', config: { command: 'x', config_file: [] } },
    0,
    "WARNING config_file: there is no such section; did you mean 'config_files'?",
  ],
  [
    { name: 'an entry of config_files under files', config: paths('files', MISPLACED) },
    1,
    'ERROR InvalidConfig: files config is missing required keys: path ' +
      '(files[0] has source and dest, so it belongs into config_files)',
  ],
];

/** Defines the tests. @param ours our tool */
export function testWords(ours: (at: Start) => Promise<Ended>, otherSkip?: string): void {
  for (const [one, code, line] of CASES)
    test(`it says: ${line}`, { skip: otherSkip ?? false }, async (t) => {
      const lacking = await canGiveFilesAway();
      if (lacking !== undefined) return t.skip(lacking);
      const [outcome] = await play(one, ours);
      assert.equal(outcome!.code, code, outcome!.stderr);
      assert.ok(linesOf(outcome!).includes(line), outcome!.stderr);
    });

  test('an entry of config_files under permissions is recognized', { skip: otherSkip ?? false }, async (t) => {
    const lacking = await canGiveFilesAway();
    if (lacking !== undefined) return t.skip(lacking);
    const [outcome] = await play({ name: 'permissions', config: perms(MISPLACED) }, ours);
    assert.equal(outcome!.code, 2);
    const text = /^permissions\[0\] has source and dest, so it belongs into config_files\. Nothing was touched\.$/m;
    assert.match(outcome!.stderr, text);
  });
}
