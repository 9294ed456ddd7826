import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callersOpenFiles } from '../../../src/process/exec/index.ts';
import { must } from '../../../tools/process.ts';

const MODULE = import.meta.resolve('../../../src/process/exec/index.ts');

/** The result of callersOpenFiles() in a Node that a shell starts after `before`. */
async function found(before: string): Promise<string> {
  const program = `import { callersOpenFiles } from ${JSON.stringify(MODULE)}; console.log(callersOpenFiles());`;
  const line = `${before} "$0" --input-type=module -e "$1"; true`;
  return (await must('/bin/bash', ['--norc', '-c', line, process.execPath, program])).trim();
}

test('the soft limit lowered by a shell for its children is found, though Node has raised it', async () => {
  assert.equal(await found('ulimit -Sn 300;'), '300');
});

test('limits set for our process only, soft and hard, are kept', async () => {
  assert.equal(await found('ulimit -Sn 300; exec prlimit --nofile=400:400'), 'undefined');
});

const limits = (soft: number, hard: number) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}                 ${hard}               files     \n`;

test('the soft limit is unknown without a parent, after its exit, or with other hard limits', () => {
  const same = (pid: number | 'self') => limits(pid === 'self' ? 4096 : 1024, 4096);
  assert.equal(callersOpenFiles(5, same), 1024);
  assert.equal(callersOpenFiles(0, same), undefined);
  assert.equal(
    callersOpenFiles(5, (pid) => limits(1024, pid === 'self' ? 4096 : 8192)),
    undefined,
  );
  assert.equal(
    callersOpenFiles(5, (pid) => {
      if (pid !== 'self') throw new Error('ENOENT');
      return limits(4096, 4096);
    }),
    undefined,
  );
});

test('a parent with the same soft limit changes nothing', () => {
  assert.equal(
    callersOpenFiles(5, () => limits(4096, 4096)),
    undefined,
  );
});
