import type { AccountPlaces, IdentityService, IdentityUser, Queue, ServiceDatabase } from './service.ts';
import type { Listing, Place, Step } from './tool.ts';

/** Where oslo.db looks: most services' only place. */
export const OSLO_DB: readonly Place[] = [{ section: 'database', key: 'connection' }];

/** The one database of most services: under alembic, with its URL where oslo.db looks. */
export function alembicDatabase(name: string): ServiceDatabase {
  return { name, url: OSLO_DB, versionTable: 'alembic_version' };
}

/** The exit codes of `online_data_migrations`, the same in nova, cinder, placement and ironic. */
export const ONLINE: Pick<Step, 'again' | 'codes'> = {
  again: [1],
  codes: {
    2: 'some data could not be migrated, and a later release refuses them; what it waits for may be another service, or an old replica',
    127: 'it does not know one of its arguments',
  },
};

/** The cell for what was never scheduled. */
export const CELL0 = '00000000-0000-0000-0000-000000000000';

/** How nova-manage shows its cells: a table, with the URLs as whoever reads them would get them. */
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

/** The account that most services check tokens with and call others as; `service` is what newer policies ask of it. */
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

/** An entry of the catalogue that is the same for everybody but for its host. */
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

/** Kolla's own: one account and one virtual host for all services. */
export const QUEUE: Queue = {
  vhost: '/',
  user: 'openstack',
  url: [{ section: 'DEFAULT', key: 'transport_url' }],
};

/** Of a service that only tells others what happened, if that is wanted. */
export const NOTIFICATIONS: Queue = {
  ...QUEUE,
  url: [{ section: 'oslo_messaging_notifications', key: 'transport_url' }, ...QUEUE.url],
  optional: true,
};
