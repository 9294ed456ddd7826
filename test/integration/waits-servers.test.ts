import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { canRunMemcached } from '../cluster/memcached.ts';
import { canRunRabbitmq } from '../cluster/rabbitmq.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { COLUMNS, SERVER_CASES, type ServerCase } from './waits-servers.ts';
import { Cells } from './waits-table.ts';
import { KINDS } from '../../src/wait/index.ts';
import { stopGroup } from '../support/stop-group.ts';
import { startInit, type Waiting } from './waiting.ts';

const skip = (await canRunMariadb()) ?? (await canRunMemcached()) ?? (await canRunRabbitmq()) ?? false;

test('reports the state of each kind without an API server', { skip }, async () => {
  await using directory = await privateDirectory('servers');
  await using stack = new AsyncDisposableStack();
  const cases = await Promise.all(SERVER_CASES.map((make) => make(directory.path, stack)));
  const cells = new Cells(COLUMNS);
  await using waiting = await startInit(['--timeout', '1h', ...cases.flatMap(({ wait }) => ['--wait', wait])]);
  try {
    await Promise.all(cases.map((each) => play(each, waiting, cells)));
    assert.equal(await waiting.ended, 0, waiting.messages().join('\n'));
    assert.deepEqual(cells.empty(), []);
  } finally {
    process.stdout.write(`\n${cells.table()}\n`);
  }
});

test('every kind without an API server has a case here, or one over TLS', () => {
  const kinds = KINDS.filter(({ form }) => form !== 'object').map(({ word }) => word);
  const cases = SERVER_CASES.map(({ name }) => name);
  assert.deepEqual(new Set(kinds), new Set([...cases, 'https', 'amqps']));
});

async function play({ kind, wait, acts, alone }: ServerCase, waiting: Waiting, cells: Cells): Promise<void> {
  if (alone !== undefined) {
    await using other = await startInit(['--wait', alone.wait, '--timeout', '1h']);
    const seen = await other.state(alone.wait, alone.said);
    cells.set(kind, alone.column, `${alone.wait}: ${seen}`);
    assert.equal(await other.running.stop(), 143);
  }
  const { pid } = waiting.running;
  for (const [column, act, said] of acts) {
    const from = column === 'absent' ? 0 : waiting.statesOf(wait).length;
    await act(async (unseen) => {
      await stopGroup(pid);
      await unseen();
      process.kill(-pid, 'SIGCONT');
    });
    cells.set(kind, column, await waiting.state(wait, said, from));
  }
}
