import type { Place, ServiceDatabase, Step } from './service.ts';

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
