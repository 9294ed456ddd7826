import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSudo, SudoUsageError } from '../../../src/container/sudo/parse.ts';

function parsed(line: string): unknown {
  const { assigned, ...rest } = parseSudo(line.split(' '));
  return { ...rest, ...(assigned.size > 0 ? { assigned: Object.fromEntries(assigned) } : {}) };
}

for (const [line, wanted] of Object.entries({
  'id -u': { words: ['id', '-u'] },
  '-E kolla_set_configs': { keep: 'all', words: ['kolla_set_configs'] },
  '-H -u keystone keystone-manage db_sync': { setHome: true, user: 'keystone', words: ['keystone-manage', 'db_sync'] },
  '-EHnu keystone id': { keep: 'all', setHome: true, user: 'keystone', words: ['id'] },
  '-ukeystone id': { user: 'keystone', words: ['id'] },
  '-u #42425 -g kolla id': { user: '#42425', group: 'kolla', words: ['id'] },
  '--user=nova --group kolla --non-interactive id': { user: 'nova', group: 'kolla', words: ['id'] },
  '--preserve-env id': { keep: 'all', words: ['id'] },
  '--preserve-env=A,B id': { keep: ['A', 'B'], words: ['id'] },
  'A=1 B= id C=3': { assigned: { A: '1', B: '' }, words: ['id', 'C=3'] },
  '-E -- -x A=1': { keep: 'all', words: ['-x', 'A=1'] },
  '-p x id': { words: ['id'] },
})) {
  test(`sudo ${line} is parsed as sudo does`, () => {
    assert.deepEqual(parsed(line), { keep: [], setHome: false, ...wanted });
  });
}

for (const [line, wanted] of Object.entries({
  '-E': /command is missing/,
  '-u': /-u needs a value/,
  '--user=': /--user needs a value/,
  '-i id': /option -i is not supported/,
  '-Es id': /option -s is not supported/,
  '--shell id': /option --shell is not supported/,
  '--n id': /option --n is not supported/,
})) {
  test(`sudo ${line} is rejected, because it is not supported here`, () => {
    assert.throws(
      () => parseSudo(line.split(' ')),
      (error) => error instanceof SudoUsageError && wanted.test(error.message),
    );
  });
}
