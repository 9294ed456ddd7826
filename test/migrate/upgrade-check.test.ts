import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context, Input } from '../../src/cli/command.ts';
import { upgradeCheckCommand } from '../../src/migrate/upgrade-check.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** The last word of a check whose tool prints this table, as oslo.upgradecheck does. */
async function lastWord(code: number, ...cells: string[]): Promise<string> {
  const rule = `+${'-'.repeat(40)}+`;
  const lines = [rule, ...cells.flatMap((cell) => [...cell.split('\n').map((line) => `| ${line.padEnd(38)} |`), rule])];
  const argv = ['sh', '-c', `printf '%s\\n' "$@"; exit ${code}`, 'x-status', ...lines];
  const migration = { phases: { all: [{ argv: ['true'] }] }, upgradeCheck: { argv } };
  const podFile = { file: 'kolla-pod.yaml', sectionOf: () => ({ x: { databases: [], migration } }) };
  let word = '';
  const context = {
    signal: new AbortController().signal,
    log: recordedLog().log,
    inherited: { PATH: process.env['PATH'] },
    podFile,
    lastWord: (text: string) => void (word = text),
  };
  const input = { operands: ['x'], options: { checkTimeout: 600_000 }, child: [] };
  await upgradeCheckCommand.run(input as unknown as Input, context as unknown as Context);
  return word;
}

test('a plus in a check or its details ends neither', async () => {
  const cell = 'Check: OVS+DPDK\nResult: Warning\nDetails: mysql+pymysql:// is needed';
  assert.equal(
    await lastWord(1, 'Upgrade Check Results', 'Check: Other\nResult: Success\nDetails: None', cell),
    'sh upgrade check: OVS+DPDK: Warning: mysql+pymysql:// is needed',
  );
});
