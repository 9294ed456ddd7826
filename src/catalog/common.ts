import type { AccountPlaces, IdentityService, IdentityUser, Queue, ServiceDatabase, UpgradeCheck } from './service.ts';
import type { Listing, ConfigOption, Step } from './tool.ts';

/** oslo.db's option, the only source of the URL for most services. */
export const OSLO_DB: readonly ConfigOption[] = [{ section: 'database', key: 'connection' }];

/**
 * The only database of most services: managed by alembic, with its URL in oslo.db's option.
 * @param scripts the directory of its revisions, relative to the installed modules
 */
export function alembicDatabase(name: string, scripts: string): ServiceDatabase {
  return { name, url: OSLO_DB, versionTable: 'alembic_version', scripts };
}

/** The database of TaskFlow's persistence, which the service's own tool migrates. */
export const TASKFLOW = {
  versionTable: 'alembic_version',
  scripts: 'taskflow/persistence/backends/sqlalchemy/alembic/versions',
} as const;

/**
 * The check that each project has under the same name.
 * @param readsDatabase whether it looks at the database: seen in docs/evidence/tool-codes.json
 * @param files if they are not /etc/PROJECT/PROJECT.conf alone
 */
export function upgradeCheck(
  project: string,
  { readsDatabase, files = [] }: { readonly readsDatabase: boolean; readonly files?: readonly string[] },
): UpgradeCheck {
  const argv = [`${project}-status`, ...files.flatMap((file) => ['--config-file', file]), 'upgrade', 'check'] as const;
  return { argv, readsDatabase };
}

/**
 * The exit codes of `online_data_migrations`, the same in nova, cinder and placement. It runs all batches; only with --max-count
 * would it exit with 1 for "call again".
 */
export const ONLINE: Pick<Step, 'codes'> = {
  codes: {
    2:
      'some data could not be migrated, and a later release rejects it; it may be waiting for another ' +
      'service, or for an old replica',
    127: 'unknown argument',
  },
};

/** The cell for instances that were never scheduled. */
export const CELL0 = '00000000-0000-0000-0000-000000000000';

/** nova-manage's listing of cells: a table, with URLs expanded. */
export const CELLS: Pick<Listing, 'argv' | 'line'> = {
  argv: ['nova-manage', 'cell_v2', 'list_cells', '--verbose'],
  line: String.raw`^\| *(?<name>[^|]*?) *\| *(?<uuid>[0-9a-f-]{36}) *\| *(?<transport>\S*) *\| *(?<database>\S*) *\|`,
};

const AUTHTOKEN: AccountPlaces = {
  name: { section: 'keystone_authtoken', key: 'username' },
  password: { section: 'keystone_authtoken', key: 'password' },
  domain: { section: 'keystone_authtoken', key: 'user_domain_name' },
  project: { section: 'keystone_authtoken', key: 'project_name' },
  projectDomain: { section: 'keystone_authtoken', key: 'project_domain_name' },
};

/**
 * The account with which most services validate tokens and call other services; newer policies require the role
 * `service`.
 */
export function serviceAccount(name: string): IdentityUser {
  return {
    name,
    grants: [
      { role: 'admin', project: 'service' },
      { role: 'service', project: 'service' },
    ],
    places: AUTHTOKEN,
  };
}

/** A catalogue entry with the same port and path for all interfaces. */
export function catalogued(
  name: string,
  type: string,
  description: string,
  port: number,
  path: string = '',
): IdentityService {
  return {
    name,
    type,
    description,
    endpoints: { public: { port, path }, internal: { port, path }, admin: { port, path } },
  };
}

const TRANSPORT_URL: ConfigOption = { section: 'DEFAULT', key: 'transport_url' };

/** An account of the service's own in the virtual host that all share, as in Kolla. */
export function queue(user: string): Queue {
  return { vhost: '/', user, url: [TRANSPORT_URL] };
}

/** The queue of a service that only sends notifications. */
export function notifications(user: string): Queue {
  const url = [{ section: 'oslo_messaging_notifications', key: 'transport_url' }, TRANSPORT_URL];
  return { vhost: '/', user, url, optional: true };
}
