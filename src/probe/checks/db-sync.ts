import { KUBECONFIG_OPTION } from '../../cli/kubeconfig-option.ts';
import { UsageError } from '../../core/errors.ts';
import { check } from '../ask/check.ts';
import { MYSQL_OPTIONS } from '../remote/mysql.ts';

/**
 * Checks that the schema is ready for the service's code, by the state that kolla-db-sync publishes on its Lease or in
 * the database.
 */
export const dbSync = check({
  word: 'db-sync',
  summary: "Checks that the schema is ready for the service's code.",
  description:
    'Reads the record of kolla-db-sync: on its Lease, through the API server (get on leases), or with ' +
    "--server in the service's own database, with the service's login. Ready means the same as for the " +
    '`db-sync/NAME` wait: a phase that runs or fails while the service is running does not make it unhealthy.',
  operands: [{ name: 'NAME', help: 'name of the migration, such as keystone' }],
  options: [
    {
      flag: 'release',
      type: 'string',
      env: 'KOLLA_PROBE_RELEASE',
      help: 'release that must be ready',
      example: '2026.1',
    },
    {
      flag: 'namespace',
      type: 'string',
      env: 'KOLLA_PROBE_NAMESPACE',
      help: "namespace of the Lease (default: the Pod's namespace)",
      example: 'openstack',
    },
    KUBECONFIG_OPTION,
    {
      flag: 'server',
      type: 'string',
      env: 'KOLLA_PROBE_SERVER',
      help: 'database server to query instead of the API server',
      example: 'mariadb:3306',
    },
    {
      flag: 'database',
      type: 'string',
      env: 'KOLLA_PROBE_DATABASE',
      help: "service's database (default: the name of the migration)",
      example: 'nova_api',
    },
    ...MYSQL_OPTIONS,
  ],
  examples: [
    { line: 'kolla-probe db-sync keystone --release 2026.1 --timeout 5s', does: 'from the Lease, in the Pod' },
    {
      line: 'kolla-probe db-sync keystone --server mariadb --user keystone --password-file /run/secrets/keystone',
      does: 'from the record in the database, without an API server',
    },
  ],
  async prepare({ operands: [name = ''], options }, { inherited, podFile }) {
    if (!/^[a-z0-9][a-z0-9._-]*$/i.test(name)) throw new UsageError(`db-sync: '${name}' is no migration's name`);
    const subject = `db-sync ${name}`;
    if (options.server === undefined && options.defaultsFile === undefined) {
      const { leaseQuestion } = await import('../remote/migration-lease.ts');
      return leaseQuestion({ name, ...options }, subject, inherited);
    }
    const { recordQuestion } = await import('../remote/migration-record.ts');
    return await recordQuestion({ name, podFile, ...options }, subject);
  },
});
