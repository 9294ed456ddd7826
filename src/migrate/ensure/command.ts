import { command } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { isMysqlError, mysqlError } from '../../mysql/index.ts';
import { redactor } from '../../core/redact.ts';
import { knownServices } from '../../catalog/index.ts';
import { atHosts, urlsOf } from '../server/hosts.ts';
import { TARGET_OPTIONS } from '../options/options.ts';
import { redacted } from '../../core/redacted.ts';
import { serviceOf } from '../plan/service-of.ts';
import { findOthers, findSource, isUrlGiven } from '../server/target.ts';
import { findAdmin } from './admin.ts';
import { makeReady } from './make-ready.ts';
import { checkEnsureOptions, ENSURE_OPTIONS } from '../options/ensure.ts';

/** Creates databases, accounts and grants only: no lock, no migration. */
export const ensureCommand = command({
  summary: "Creates a service's missing databases, account and grants, and logs in on every node.",
  description:
    'Changes existing objects only as requested by --require and --rotate; a second run writes nothing. ' +
    'A migration with --admin-user does this first.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [...TARGET_OPTIONS, ...ENSURE_OPTIONS],
  examples: [
    {
      line: 'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root',
      does: 'database, account and grants for the URL in /etc/keystone/keystone.conf',
    },
    {
      line: 'kolla-db-sync ensure keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --rotate',
      does: 'after the password in the URL has changed',
    },
  ],
  async run({ operands: [name = ''], options }, { signal, log, podFile, inherited }) {
    const service = serviceOf(name, await knownServices(podFile));
    checkEnsureOptions(options);
    if (options.adminUser === undefined) throw new UsageError('ensure needs --admin-user: an account that may create');
    const found = await findSource(service, options, inherited);
    const rest = isUrlGiven(options) ? [] : await findOthers(service, options, inherited);
    const [source, ...others] = atHosts([found, ...rest], options.host);
    const admin = await findAdmin(options, source);
    const sources = [source, ...others];
    for (const { place } of sources) log.info(`database URL from ${place}`);
    const redact = redactor([...sources.flatMap((each) => [...urlsOf(each), each.target.password]), admin?.password]);
    const targets = { target: source.target, others: others.map(({ target }) => target), admin };
    await redacted(redact, async () => {
      try {
        await makeReady({ ...options, ...targets, timeoutMs: options.timeout }, { signal, log });
      } catch (error) {
        throw isMysqlError(error) ? mysqlError(`ensure database ${source.target.database}`, error) : error;
      }
    });
    return ExitCode.ok;
  },
});
