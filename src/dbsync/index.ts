/**
 * kolla-db-sync: brings a service's database to where its code needs it, one migrator at a time.
 *
 *   service -> its data (services/) -> database URL -> server reached -> database, account, grants ensured (admin only)
 *     -> lock: GET_LOCK, held by our session, the guard and the command; then the fence row, with the next token
 *     -> a predecessor that was cut off has ended -> command, in a process group of its own, under watch -> record
 *
 * Without the lock the command never starts; when the lock is lost the command is stopped. What can fail: a wrong URL
 * or file (65), the server or the lock gone for good (69), a wait without end (75), an account (77), and the command
 * itself, whose exit code is ours. The fence row lies in the service's own database: docs/adr says why.
 */
import { type Helper, command } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { redactor } from '../platform/redact.ts';
import type { Step } from '../services/index.ts';
import { SYNC_OPTIONS, type SyncOptions } from './options.ts';
import { requireProgram } from './program.ts';
import { status } from './status.ts';
import { sync } from './sync.ts';
import { findAdmin, findSource, serviceOf } from './target.ts';

const LONGEST_RELEASE = 128;

const main = command({
  summary: "Brings a service's database to where its code needs it, one migrator at a time.",
  description:
    'Waits for the server; makes database, account and grants when --admin-user is given; takes the lock; runs the ' +
    "service's migration, or the words after --; records it. A second one waits, and does nothing when the same was " +
    "finished meanwhile. The exit code is the command's own.",
  operands: [{ name: 'SERVICE', help: 'an OpenStack service, such as keystone' }],
  child: 'COMMAND',
  options: SYNC_OPTIONS,
  examples: [
    { line: 'kolla-db-sync keystone', does: 'migrates, with the URL from /etc/keystone/keystone.conf' },
    {
      line: 'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1',
      does: 'makes database and account as well',
    },
    { line: 'kolla-db-sync keystone -- keystone-manage db_sync --expand', does: 'only the step before a rollout' },
  ],
  async run({ operands: [name = ''], options, child }, { signal, log, inherited }) {
    const service = serviceOf(name);
    checkOptions(options);
    const [program, ...words] = child;
    const steps: readonly Step[] =
      program === undefined ? service.migration.phases.offline : [{ argv: [program, ...words] }];
    const source = await findSource(service, options);
    const admin = await findAdmin(options, source);
    for (const { argv } of steps) requireProgram(argv[0], inherited);
    const { section, key } = service.databases[0];
    const childEnv = { ...inherited };
    delete childEnv['KOLLA_DB_SYNC_ADMIN_PASSWORD'];
    delete childEnv['KOLLA_DB_SYNC_CONNECTION'];
    // oslo.config reads its options from the environment before its files.
    if (source.given !== undefined) childEnv[`OS_${section}__${key}`.toUpperCase()] = source.given;
    const redact = redactor([source.given, source.target.password, admin?.password]);
    log.info(`database URL from ${source.place}`);
    try {
      return await sync(
        {
          ...options,
          service: name,
          phase: program === undefined ? 'offline' : 'command',
          steps,
          target: source.target,
          admin,
          childEnv,
          timeoutMs: options.timeout,
          lockTimeoutMs: options.lockTimeout,
          lossMs: options.lockLoss,
          graceMs: options.grace,
        },
        { signal, log, redact },
      );
    } catch (error) {
      // A server's error may quote the statement, and with it a password.
      if (error instanceof Error) {
        error.message = redact(error.message);
        error.stack = redact(error.stack ?? '');
      }
      throw error;
    }
  },
});

function checkOptions({ release, charset, collation, lockLoss }: SyncOptions): void {
  if (release.length > LONGEST_RELEASE) throw new UsageError(`--release is longer than ${LONGEST_RELEASE} characters`);
  for (const [flag, word] of Object.entries({ charset, collation })) {
    if (!/^\w+$/.test(word)) throw new UsageError(`--${flag}: '${word}' is not the name of one`);
  }
  if (lockLoss < 1000) throw new UsageError('--lock-loss is at least 1s');
}

export const dbSync: Helper = {
  name: 'kolla-db-sync',
  summary: "Migrates a service's database, one migrator at a time.",
  main,
  commands: { status },
};
