import type { Context } from '../cli/command.ts';
import { ConfigError, UsageError, messageOf, type ExitCode } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { chosenParts, prepare, type Effects, type OpenParts, type PartName, type Purpose } from '../provision/index.ts';
import {
  findTasks,
  isUrlGiven,
  prepareSync,
  requireTools,
  type Prepared as PreparedSync,
  type Task,
} from '../migrate/index.ts';
import type { Redact } from '../core/redact.ts';
import { knownServices, type Service } from '../catalog/index.ts';
import { SECRET_VARIABLES, variablesOf, type JobOptions } from './options.ts';

/** Parts whose objects are in the service's own database. */
const OF_DATABASE: ReadonlySet<PartName> = new Set(['database', 'schema', 'tool']);
/** Parts that src/provision opens. */
const ELSEWHERE: ReadonlySet<PartName> = new Set(['queue', 'keys', 'users', 'endpoints']);

/** Validated options and files for the parts of a service. */
export interface Job extends Disposable {
  readonly service: Service;
  readonly options: JobOptions;
  /** The parts in order, without those that the service does not need. */
  readonly chosen: readonly PartName[];
  /** Undefined if the service's database is unknown here. Then there is no lock. */
  readonly sync: PreparedSync | undefined;
  readonly tasks: readonly Task[];
  readonly redact: Redact;
  readonly context: Context;
  /** Opens those of these parts that are in other servers. Their requests are aborted by the signals of `effects`. */
  open(names: readonly PartName[], effects: Effects): OpenParts;
}

/** The service's data. Throws UsageError for an unknown name. */
export async function serviceNamedIn(name: string, { podFile }: Pick<Context, 'podFile'>): Promise<Service> {
  const services = await knownServices(podFile);
  const service = services.find((known) => known.name === name);
  if (service !== undefined) return service;
  const names = services.map((known) => known.name);
  throw new UsageError(`no service '${name}'${suggestion(name, names)}`);
}

/** Runs a command's work with its validated job, and redacts errors: a server's message may quote the request. */
export async function withJob(
  name: string,
  options: JobOptions,
  context: Context,
  purpose: Purpose,
  work: (job: Job) => Promise<ExitCode>,
): Promise<ExitCode> {
  using job = await readJob(name, options, context, purpose);
  try {
    return await work(job);
  } catch (error) {
    if (error instanceof Error) {
      error.message = job.redact(error.message);
      error.stack = job.redact(error.stack ?? '');
    }
    throw error;
  }
}

/**
 * Validates options and files for every requested part, without contacting a server.
 * @throws UsageError, ConfigError, UnavailableError for missing or invalid input, before anything is done
 */
async function readJob(name: string, options: JobOptions, context: Context, purpose: Purpose): Promise<Job> {
  const service = await serviceNamedIn(name, context);
  const asked = chosenParts(options);
  const hasDatabase = service.databases.length > 0 || isUrlGiven(options);
  const partWithoutDatabase = hasDatabase
    ? undefined
    : options.only.find((part) => asked.includes(part) && OF_DATABASE.has(part));
  if (partWithoutDatabase !== undefined) {
    throw new ConfigError(
      `${name} has no database of its own for the lock that ${partWithoutDatabase} needs: set ` +
        'KOLLA_DB_SYNC_CONNECTION to one that may hold it',
    );
  }
  const chosen = asked.filter((part) => !OF_DATABASE.has(part) || hasDatabase);
  if (chosen.length < asked.length)
    context.log.info(`${name} has no database of its own: database, schema and its own commands are not changed`);
  using stack = new DisposableStack();
  const sync = purpose === 'ensure' && hasDatabase ? await readDatabase(service, options, chosen, context) : undefined;
  if (sync !== undefined) stack.use(sync);
  const tasks = purpose === 'ensure' && chosen.includes('tool') ? await readTool(service, options, sync, context) : [];
  const elsewhere = asked.filter((part) => ELSEWHERE.has(part));
  const { open, redact: hide } = await prepare(service, options, elsewhere, context, purpose);
  const redacts = [hide, ...(sync === undefined ? [] : [sync.redact]), ...tasks.map((task) => task.redact)];
  const redact: Redact = (text) => redacts.reduce((shown, each) => each(shown), text);
  const moved = stack.move();
  return { service, options, chosen, sync, tasks, redact, context, open, [Symbol.dispose]: () => moved.dispose() };
}

async function readDatabase(
  service: Service,
  options: JobOptions,
  chosen: readonly PartName[],
  { log, inherited }: Context,
): Promise<PreparedSync | undefined> {
  const env = { ...inherited };
  for (const name of SECRET_VARIABLES) delete env[name];
  try {
    const runsTool = chosen.includes('schema');
    return await prepareSync(
      { service, options: { ...options, sharesCaFile: true }, runsTool },
      { log, inherited: env },
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (chosen.some((part) => OF_DATABASE.has(part))) {
      const rest = 'or leave the database to another Job: --only queue --only users --only endpoints';
      throw new ConfigError(`${messageOf(error)}; ${rest}`, { cause: error });
    }
    log.info(`no lock is taken, because the service's database is unknown here: ${messageOf(error)}`);
    return undefined;
  }
}

async function readTool(
  service: Service,
  options: JobOptions,
  sync: PreparedSync | undefined,
  { inherited }: Context,
): Promise<Task[]> {
  const { serviceConfig, set } = options;
  const given = variablesOf(options);
  const tasks = await findTasks(service, { serviceConfig, set, sources: sync?.sources ?? [], inherited, given });
  requireTools(
    tasks.flatMap(({ steps }) => steps),
    inherited,
  );
  return tasks;
}
