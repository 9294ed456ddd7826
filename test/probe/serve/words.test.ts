import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shellWords } from '../../../src/probe/serve/config.ts';

for (const [line, words] of [
  ['tcp  mariadb:3306 ', ['tcp', 'mariadb:3306']],
  ["process 'neutron-l3-agent '", ['process', 'neutron-l3-agent ']],
  [String.raw`command -- sh -c "echo \"$HOME\" \n"`, ['command', '--', 'sh', '-c', String.raw`echo "$HOME" \n`]],
  [String.raw`a\ b c'd'"e"`, ['a b', 'cde']],
  ["mysql ''", ['mysql', '']],
  ['http http://h/$(id)?a=*&b', ['http', 'http://h/$(id)?a=*&b']],
  ['', []],
] as const) {
  test(`a line is split as by a shell, and nothing is expanded: ${line}`, () => {
    assert.deepEqual(shellWords(line), words);
  });
}

for (const line of ["tcp 'a", 'tcp "a', 'tcp a\\']) {
  test(`an unterminated quote is rejected: ${line}`, () => {
    assert.throws(() => shellWords(line), RangeError);
  });
}
