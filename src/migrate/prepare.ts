import type { Context } from '../cli/command.ts';
import { UsageError } from '../core/errors.ts';
import { redactor, type Redact } from '../core/redact.ts';
import {
  isLastBeforeRollout,
  isOneWay,
  versionTablesOf,
  type Phase,
  type Service,
  type Step,
} from '../catalog/index.ts';
import { checkEnsureOptions, findAdmin } from './ensure/index.ts';
import { givenKubeSource, kubeSource, lazyKube, type LazyKube } from '../kube/source.ts';
import { leaseSite } from './lease/index.ts';
import { stepsOf } from './plan/phases.ts';
import { ADMIN_PASSWORD } from './options/ensure.ts';
import { CONNECTION, type MigrationOptions } from './options/options.ts';
import type { Plan } from './plan/plan.ts';
import { redacted } from '../core/redacted.ts';
import { rolloutGate } from './rollout/index.ts';
import { workloadsOf } from './options/rollout.ts';
import type { Versions } from './plan/tables.ts';
import { requireDirectory, requireProgram } from './child/program.ts';
import { atHosts, environmentAs, environmentAt, urlsOf } from './server/hosts.ts';
import type { OwnTls } from './server/own-tls.ts';
import { findOthers, findSource, isFoundByTool, isUrlGiven, type Source } from './server/target.ts';

const LONGEST_RELEASE = 128;
const STOPPING_MS = 1000;

/** Everything needed for a migration, with the connection to the API server, which is closed on disposal. */
export interface Prepared extends Disposable {
  readonly plan: Plan;
  readonly redact: Redact;
  /** The locations of the service's databases. The one with the lock comes first. */
  readonly sources: readonly Source[];
}

interface Asked {
  readonly service: Service;
  readonly options: MigrationOptions & Pick<OwnTls, 'sharesCaFile'>;
  /** The user's command, which replaces the steps of the phase. */
  readonly own?: Step | undefined;
  /** Whether the tool will run. If not, it need not be installed. */
  readonly runsTool?: boolean;
}

/**
 * Reads options and files, and checks that the service's tool is installed. Does not contact the database server;
 * contacts the API server only to wait for replicas of an older release.
 * @returns a plan without steps if the service has nothing to do in that phase
 * @throws UsageError, ConfigError, UnavailableError with the place and the fix
 */
export async function prepareSync(
  { service, options, own, runsTool = true }: Asked,
  { log, inherited }: Pick<Context, 'log' | 'inherited'>,
): Promise<Prepared> {
  checkOptions(options);
  const workloads = workloadsOf(options);
  const steps = own === undefined ? stepsOf(service, options.phase) : [own];
  const found = await findSource(service, options, inherited);
  const [source, ...others] = atHosts(
    [found, ...(await otherSources({ service, options, own }, inherited))],
    options.host,
  );
  const admin = await findAdmin(options, source);
  if (runsTool) requireTools(steps, inherited);
  const sources = [source, ...others];
  const redact = redactor([...sources.flatMap((each) => [...urlsOf(each), each.target.password]), admin?.password]);
  for (const { place } of sources) log.info(`database URL from ${place}`);
  const phase = own === undefined || options.phase !== 'all' ? options.phase : 'command';
  using stack = new DisposableStack();
  const kube = stack.use(kubeAccess(options, inherited));
  const of = { isLastBeforeRollout: isLastBeforeRollout(service, phase), isOneWay: isOneWay(service, phase) };
  const plan = await redacted(redact, async () => ({
    ...options,
    service: service.name,
    phase,
    steps,
    check: own === undefined ? service.migration.check : undefined,
    versions: own === undefined ? versionsOf(service, options.phase, sources) : undefined,
    isOneWay: (word: string) => isOneWay(service, word),
    isCommand: own !== undefined,
    target: source.target,
    others: others.map(({ target }) => target),
    admin,
    childEnv: (...[at, as]: Parameters<Plan['childEnv']>) => ({
      ...environmentOf(inherited, sources),
      ...environmentAt(sources, at),
      ...(as && environmentAs(sources, at, as)),
    }),
    injectsAccount: options.migrateAs === 'own' && sources.every(({ variables }) => variables.length > 0),
    timeoutMs: options.timeout,
    lockTimeoutMs: options.lockTimeout,
    lossMs: options.lockLoss,
    leaseMs: options.lease,
    leaseSite: await leaseSite(service.name, { ...options, ...of }, kube, log),
    rollout: await rolloutGate({ ...options, workloads }, kube, { inherited, log }),
    graceMs: options.grace,
  }));
  const moved = stack.move();
  return { plan, redact, sources, [Symbol.dispose]: () => moved.dispose() };
}

/**
 * The connection to the API server, opened on first use. Undefined if there is none and none is required: outside
 * Kubernetes, or without a mounted ServiceAccount token.
 * @throws ConfigError if `--lock lease` or `--after-rollout` requires one
 */
function kubeAccess(options: MigrationOptions, inherited: NodeJS.ProcessEnv): LazyKube | undefined {
  const { lock, kubeconfig, namespace, afterRollout } = options;
  const isNeeded = lock === 'lease' || afterRollout.length > 0;
  const source = givenKubeSource(kubeconfig, inherited) ?? (isNeeded ? kubeSource(kubeconfig, inherited) : undefined);
  return source === undefined ? undefined : lazyKube(() => source, namespace);
}

/** The version tables of these databases, and what they must contain after the phase. */
function versionsOf({ migration: { phases } }: Service, phase: Phase, sources: readonly Source[]): Versions {
  const tables = sources.flatMap(({ target, database }, i) =>
    (database === undefined ? [] : versionTablesOf(database)).map(({ versionTable: table, scripts }) => {
      return { other: i === 0 ? undefined : target, table, scripts };
    }),
  );
  const isExpand = (phase === 'expand' || phase === 'migrate') && (phases.contract ?? []).length > 0;
  return { tables, isExpand };
}

/** Throws UnavailableError if a program or directory of these steps is missing. */
export function requireTools(steps: readonly Step[], inherited: NodeJS.ProcessEnv): void {
  for (const { argv, directory } of steps) {
    if (directory !== undefined) requireDirectory(directory);
    requireProgram(argv[0], inherited);
  }
}

/** The databases that are created in addition to the first one, or whose URL the tool would not find by itself. */
async function otherSources({ service, options, own }: Asked, inherited: NodeJS.ProcessEnv): Promise<Source[]> {
  if (own !== undefined && isUrlGiven(options)) return [];
  return options.adminUser === undefined && isFoundByTool(options) ? [] : await findOthers(service, options, inherited);
}

/** The child's environment: ours without our secrets, plus the URLs that its tool would not find by itself. */
function environmentOf(inherited: NodeJS.ProcessEnv, sources: readonly Source[]): NodeJS.ProcessEnv {
  const env = { ...inherited };
  for (const [{ env: name }] of [ADMIN_PASSWORD, CONNECTION]) delete env[name];
  return Object.assign(env, ...sources.map(({ environment }) => environment)) as NodeJS.ProcessEnv;
}

function checkOptions(options: MigrationOptions): void {
  const { release, lockLoss, lease } = options;
  checkEnsureOptions(options);
  if (release.length > LONGEST_RELEASE) throw new UsageError(`--release is longer than ${LONGEST_RELEASE} characters`);
  if (lockLoss < 1000) throw new UsageError('--lock-loss is at least 1s');
  if (lease < lockLoss + STOPPING_MS) {
    throw new UsageError('--lease is at least 1s longer than --lock-loss: the command is stopped in between');
  }
}
