import type { PodFile } from '../../cli/file.ts';
import { formatProblem } from '../../core/format.ts';
import { contractedBy, readinessIn } from '../../kube/db-sync-lease.ts';
import { NO_SUCH_TABLE, errnoOf } from '../../mysql/errors.ts';
import { quoteName, quoteText } from '../../mysql/quote.ts';
import type { RowSource } from '../../mysql/session.ts';
import { isLastBeforeRollout, isOneWay, knownServices, type Phase, type Service } from '../../catalog/index.ts';
import { healthyAs, unhealthy, type CheckResult, type Question } from '../ask/verdict.ts';
import { mysqlServer, type MysqlValues } from './mysql.ts';

export interface RecordQuery extends MysqlValues {
  /** The name of the migration and, by default, of the database. */
  readonly name: string;
  readonly release: string | undefined;
  readonly server: string | undefined;
  readonly database: string | undefined;
  readonly podFile: PodFile | undefined;
}

/** kolla-db-sync's record of one phase of one release. */
interface Row {
  readonly release: string;
  readonly phase: string;
  readonly state: string;
  readonly format?: number;
}

/**
 * Checks that the records in a service's database report the schema as ready.
 * @throws as mysqlServer(); ConfigError for invalid own services
 */
export async function recordQuestion(query: RecordQuery, subject: string): Promise<Question> {
  const { name, database = name, release, podFile } = query;
  const server = await mysqlServer('db-sync', query.server, query);
  const service = (await knownServices(podFile)).find((one) => one.name === name);
  return {
    subject,
    hosts: server.hosts,
    async ask(signal, tell = () => {}) {
      const { askMysql } = await import('./mysql-session.ts');
      const judges = {
        greeted: () => unhealthy('the record is visible to users only: give --user'),
        inside: async (session: RowSource) => verdictOf(await rowsIn(session, database, name), service, release),
      };
      return await askMysql(server, judges, signal, tell);
    },
  };
}

/** The records, starting with the latest. */
async function rowsIn(session: RowSource, database: string, name: string): Promise<Row[]> {
  const table = `${quoteName(database)}.${quoteName('kolla_pod_record')}`;
  // All columns: a table created before `format` existed has no such column.
  // The check has found the name without a character that any mode of the server takes for an escape.
  const sql = `SELECT * FROM ${table} WHERE service = ${quoteText(name)} ORDER BY token DESC`;
  try {
    return (await session.rows(sql)) as unknown as Row[];
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return [];
    throw error;
  }
}

function verdictOf(rows: readonly Row[], service: Service | undefined, wanted: string | undefined): CheckResult {
  const [last] = rows;
  if (last === undefined) return unhealthy('no migration by kolla-db-sync yet: there is no record of it');
  const problem = rows.map(({ format }) => formatProblem(format)).find((each) => each !== undefined);
  if (problem !== undefined) return unhealthy(`kolla_pod_record ${problem}`);
  const ready = rows.find(({ phase, state }) => state === 'done' && isReadyAfter(phase, service));
  const contracted = contractedBy(rows, (word) => isOneWay(service, word));
  const { release, phase, state } = last;
  const { isReady, says } = readinessIn({ release, phase, state, readyFor: ready?.release, contracted }, wanted);
  return isReady ? healthyAs(says) : unhealthy(says);
}

/** Whether new code may start after this phase. An unknown service has a single phase. */
function isReadyAfter(phase: string, service: Service | undefined): boolean {
  if (service === undefined) return phase === 'all' || phase === 'command';
  return isLastBeforeRollout(service, phase as Phase | 'command');
}
