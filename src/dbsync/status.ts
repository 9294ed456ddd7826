import { command } from '../cli/command.ts';
import { ExitCode } from '../cli/errors.ts';
import { table } from '../cli/table.ts';
import { mysqlError } from '../platform/mysql/index.ts';
import { readFence } from './fence.ts';
import { TARGET_OPTIONS } from './options.ts';
import { reach } from './reach.ts';
import { findSource, serviceOf } from './target.ts';

/** Prints the fence row: who migrated last, or does. */
export const status = command({
  summary: 'Shows who migrates the database, or who did last.',
  description: 'Exit code 1 when nobody ever has.',
  operands: [{ name: 'SERVICE', help: 'an OpenStack service, such as keystone' }],
  options: [
    ...TARGET_OPTIONS,
    {
      flag: 'output',
      type: 'choice',
      values: ['table', 'json'],
      env: 'KOLLA_DB_SYNC_OUTPUT',
      default: 'table',
      help: 'for people, or for programs',
      example: 'json',
    },
  ],
  examples: [
    { line: 'kolla-db-sync status keystone', does: 'a table' },
    { line: 'kolla-db-sync status keystone --output json', does: 'one JSON object' },
  ],
  async run({ operands: [name = ''], options }, { signal, log, stdout, terminal }) {
    const { target } = await findSource(serviceOf(name), options);
    await using session = await reach(target, { timeoutMs: options.timeout, signal, log, database: target.database });
    const row = await readFence(session).catch((error: unknown) => {
      throw mysqlError(`read the fence row of database ${target.database}`, error);
    });
    if (row === undefined || row.state === 'new') {
      log.info(`nobody has migrated database ${target.database} with kolla-db-sync yet`);
      return ExitCode.no;
    }
    const { work: _work, ...shown } = row;
    if (options.output === 'json') stdout(`${JSON.stringify({ database: target.database, ...shown })}\n`);
    else
      stdout(
        table(
          terminal,
          [],
          Object.entries(shown).map(([key, value]) => [key, String(value ?? '')]),
        ),
      );
    return ExitCode.ok;
  },
});
