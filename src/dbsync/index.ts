/**
 * kolla-db-sync: brings a service's database to where its code needs it, one migrator at a time.
 *
 *   service -> its data (services/, or kolla-pod.yaml) -> database URLs -> server reached -> databases, accounts, grants
 *     ensured (admin only) -> recorded as done and the tool's own check agrees: nothing to do
 *     -> contract and online: until no replica of an older release is left
 *     -> lock: a Lease, where there is an API server; GET_LOCK, held by our session, the guard and the command; the fence
 *     row, with the next token, which on Galera is free when its holder ended or did not renew it for a lease; Lease and
 *     row are renewed until the record
 *     -> a predecessor that was cut off has ended -> the phase's steps, each in a process group of its own, under watch
 *     -> record of service, release and phase, published on the Lease as it is given back
 *
 * Without the lock no step starts; when the lock is lost the step is stopped. What can fail: a wrong URL or file (65),
 * the servers or the lock gone for good (69), a wait without end (75), an account or a Role (77), and the step itself, whose exit
 * code is ours. Fence and record lie in the service's own database: docs/adr says why.
 */
import { type Context, type Helper, type Input, command } from '../cli/command.ts';
import { ExitCode, UsageError } from '../cli/errors.ts';
import { redactor } from '../platform/redact.ts';
import type { Service, Step } from '../services/index.ts';
import { knownServices } from '../services/known.ts';
import { checkEnsureOptions, ensureCommand, findAdmin } from './ensure/index.ts';
import { atHosts, environmentAs, environmentAt, urlsOf } from './target/hosts.ts';
import { SYNC_OPTIONS, type SyncOptions } from './options.ts';
import { kubeAccess } from './kube-access.ts';
import { leaseSite } from './lease/index.ts';
import { isLastBeforeRollout, stepsOf } from './phases.ts';
import type { OnStage } from './stage.ts';
import { requireFolder, requireProgram } from './steps/program.ts';
import { redacted } from './redacted.ts';
import { rolloutGate } from './rollout/index.ts';
import { workloadsOf } from './rollout/options.ts';
import { rbacCommand } from './rbac.ts';
import { status } from './record/status.ts';
import { sync } from './sync.ts';
import { findOthers, findSource, isFoundByTool, serviceOf, type Source } from './target/target.ts';

const LONGEST_RELEASE = 128;
const STOPPING_MS = 1000;

const main = command({
  summary: "Brings a service's database to where its code needs it, one migrator at a time.",
  description:
    'Waits for the server; makes database, account and grants when --admin-user is given; takes the lock; runs the ' +
    "service's migration, a phase of it, or the words after --; records it. A second one waits, and does nothing when " +
    'the same was finished meanwhile; nor does one for which the same is recorded as done, and the tool itself says ' +
    "that the schema is right. The exit code is the command's own.",
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  child: 'COMMAND',
  options: SYNC_OPTIONS,
  examples: [
    { line: 'kolla-db-sync keystone', does: 'migrates, with the URL from /etc/keystone/keystone.conf' },
    {
      line: 'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1',
      does: 'makes database and account as well',
    },
    {
      line: 'kolla-db-sync keystone --host mariadb-0 --host mariadb-1 --host mariadb-2',
      does: 'on Galera, through the first node that can be used',
    },
    { line: 'kolla-db-sync keystone --phase expand --release 2026.1', does: 'only what comes before a rollout' },
    {
      line: 'kolla-db-sync keystone --phase contract --release 2026.1 --after-rollout deployment/keystone',
      does: 'what comes after it, once the last old Pod is gone',
    },
    {
      line: 'kolla-db-sync keystone -- keystone-manage db_sync --expand',
      does: 'a command of your own, under the lock',
    },
    {
      line: 'kolla-db-sync keystone --stay',
      does: 'as a native sidecar, whose startup probe on /startupz holds the service back',
    },
  ],
  run,
});

async function run(input: Input<typeof SYNC_OPTIONS>, context: Context): Promise<ExitCode> {
  if (!input.options.stay) return await migrate(input, context);
  const { runStaying } = await import('./sidecar/index.ts');
  return await runStaying(input.options, context, (onStage) => migrate(input, context, onStage));
}

async function migrate(
  { operands: [name = ''], options, child }: Input<typeof SYNC_OPTIONS>,
  { signal, log, inherited, podFile, live }: Context,
  onStage?: OnStage,
): Promise<ExitCode> {
  const service = serviceOf(name, await knownServices(podFile));
  checkOptions(options);
  const workloads = workloadsOf(options);
  const own = ownStep(child);
  const steps = own === undefined ? stepsOf(service, options.phase) : [own];
  if (steps.length === 0) {
    log.info(`${name} has no phase ${options.phase}: nothing to do`);
    return ExitCode.ok;
  }
  const found = await findSource(service, options);
  const [source, ...others] = atHosts([found, ...(await otherSources(service, options, own))], options.host);
  const admin = await findAdmin(options, source);
  for (const { argv, folder } of steps) {
    if (folder !== undefined) requireFolder(folder);
    requireProgram(argv[0], inherited);
  }
  const sources = [source, ...others];
  const redact = redactor([...sources.flatMap((each) => [...urlsOf(each), each.target.password]), admin?.password]);
  for (const { place } of sources) log.info(`database URL from ${place}`);
  const phase = own === undefined || options.phase !== 'all' ? options.phase : 'command';
  using kube = kubeAccess(options, inherited);
  const last = { ...options, isLastBeforeRollout: isLastBeforeRollout(service, phase) };
  return await redacted(redact, async () =>
    sync(
      {
        ...options,
        service: name,
        phase,
        steps,
        check: own === undefined ? service.migration.check : undefined,
        target: source.target,
        others: others.map(({ target }) => target),
        admin,
        childEnv: (at, as) => ({
          ...environmentOf(inherited, sources),
          ...environmentAt(sources, at),
          ...(as && environmentAs(sources, at, as)),
        }),
        tellsAccount: options.migrateAs === 'own' && sources.every(({ variables }) => variables.length > 0),
        timeoutMs: options.timeout,
        lockTimeoutMs: options.lockTimeout,
        lossMs: options.lockLoss,
        leaseMs: options.lease,
        leaseSite: await leaseSite(name, last, kube, log),
        rollout: await rolloutGate({ ...options, workloads }, kube, { inherited, log }),
        graceMs: options.grace,
      },
      { signal, log, redact, onStage, live },
    ),
  );
}

function ownStep([program, ...words]: readonly string[]): Step | undefined {
  return program === undefined ? undefined : { argv: [program, ...words] };
}

/** The databases that are made beside the first one, or whose URL the tool would not find by itself. */
async function otherSources(service: Service, options: SyncOptions, own: Step | undefined): Promise<Source[]> {
  const isGiven = options.connection !== undefined || options.connectionFile !== undefined;
  if (own !== undefined && isGiven) return [];
  return options.adminUser === undefined && isFoundByTool(options) ? [] : await findOthers(service, options);
}

/** The child's environment: ours without our secrets, and the URLs that its tool would not find by itself. */
function environmentOf(inherited: NodeJS.ProcessEnv, sources: readonly Source[]): NodeJS.ProcessEnv {
  const env = { ...inherited };
  delete env['KOLLA_DB_SYNC_ADMIN_PASSWORD'];
  delete env['KOLLA_DB_SYNC_CONNECTION'];
  return Object.assign(env, ...sources.map(({ environment }) => environment)) as NodeJS.ProcessEnv;
}

function checkOptions(options: SyncOptions): void {
  const { release, lockLoss, lease } = options;
  checkEnsureOptions(options);
  if (release.length > LONGEST_RELEASE) throw new UsageError(`--release is longer than ${LONGEST_RELEASE} characters`);
  if (lockLoss < 1000) throw new UsageError('--lock-loss is at least 1s');
  if (lease < lockLoss + STOPPING_MS) {
    throw new UsageError('--lease is at least 1s longer than --lock-loss: the command is stopped in between');
  }
}

export const dbSync: Helper = {
  name: 'kolla-db-sync',
  summary: "Migrates a service's database, one migrator at a time.",
  main,
  commands: { ensure: ensureCommand, rbac: rbacCommand, status },
};
