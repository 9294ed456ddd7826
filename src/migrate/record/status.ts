import { command, type Context } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { outputOption } from '../../cli/output-option.ts';
import { table } from '../../cli/table.ts';
import type { Terminal } from '../../core/terminal.ts';
import { mysqlError } from '../../mysql/index.ts';
import { knownServices, type Service } from '../../catalog/index.ts';
import { readFence, type FenceRow } from '../fence/fence.ts';
import { atHosts } from '../server/hosts.ts';
import { TARGET_OPTIONS, type TargetOptions } from '../options/options.ts';
import { reach } from '../server/reach.ts';
import { readRecords, type RecordRow } from './record.ts';
import { serviceOf } from '../plan/service-of.ts';
import { findSource } from '../server/target.ts';

/** Prints the fence row and the records: the running or last migration, and the state of each phase of each release. */
export const status = command({
  summary: 'Shows the running or last migration, and the state of every phase and release.',
  description: 'Exits with 1 if there was none yet.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [...TARGET_OPTIONS, outputOption('KOLLA_DB_SYNC_OUTPUT', 'table')],
  examples: [
    { line: 'kolla-db-sync status keystone', does: 'as a table' },
    { line: 'kolla-db-sync status keystone -o json', does: 'as one JSON object' },
  ],
  async run({ operands: [name = ''], options }, context) {
    return await showStatus(serviceOf(name, await knownServices(context.podFile)), options, context);
  },
});

/** Prints the records. Returns 1 if there are none. */
export async function showStatus(
  service: Service,
  options: TargetOptions & { readonly output: 'table' | 'json' },
  { signal, log, stdout, terminal, inherited }: Pick<Context, 'signal' | 'log' | 'stdout' | 'terminal' | 'inherited'>,
): Promise<ExitCode> {
  const [{ target }] = atHosts([await findSource(service, options, inherited)], options.host);
  const { database } = target;
  const { timeout: timeoutMs, galeraDonor } = options;
  await using session = await reach(target, { timeoutMs, signal, log, database, galeraDonor });
  try {
    const row = await readFence(session);
    if (row === undefined || row.state === 'new') {
      log.info(`no migration of database ${database} by kolla-db-sync yet`);
      return ExitCode.no;
    }
    const { work: _work, ...fence } = row;
    const records = (await readRecords(session)).map((record) => shown(record, row));
    if (options.output === 'json') stdout(`${JSON.stringify({ database, ...fence, records })}\n`);
    else stdout(`${fields(terminal, { database, ...fence })}${list(terminal, records)}`);
    return ExitCode.ok;
  } catch (error) {
    throw mysqlError(`read the record in database ${database}`, error);
  }
}

type Shown = Omit<RecordRow, 'work' | 'state'> & { readonly state: RecordRow['state'] | 'crashed' };

/** A `running` record with an older token than the fence's was interrupted before it could record its end. */
function shown({ work: _work, state, ...record }: RecordRow, fence: FenceRow): Shown {
  const hasCrashed = state === 'running' && (record.token !== fence.token || fence.state !== 'running');
  return { ...record, state: hasCrashed ? 'crashed' : state };
}

function fields(terminal: Terminal, row: object): string {
  return table(
    terminal,
    [],
    Object.entries(row).map(([key, value]) => [key, String(value ?? '')]),
  );
}

function list(terminal: Terminal, records: readonly Shown[]): string {
  const head = ['SERVICE', 'RELEASE', 'PHASE', 'STATE', 'CODE', 'TOKEN', 'STARTED (UTC)', 'ENDED (UTC)', 'HOLDER'];
  const rows = records.map(({ service, release, phase, state, exitCode, token, started, ended, holder }) =>
    [service, release || '-', phase, state, exitCode ?? '', token, toSeconds(started), toSeconds(ended), holder].map(
      String,
    ),
  );
  const failed = records.filter(({ state, output }) => state !== 'done' && output !== '');
  const ends = failed.map(
    ({ service, phase, token, output }) =>
      `\nlast lines of ${service}, ${phase}, token ${token}:\n${output.replaceAll(/^/gm, '  ')}\n`,
  );
  return records.length === 0 ? '' : `\n${table(terminal, head, rows)}${ends.join('')}`;
}

function toSeconds(time: string | undefined): string {
  return time?.replace(/\.\d+$/, '') ?? '';
}
