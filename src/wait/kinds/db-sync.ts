import { dbSyncLease, LEASE_RESOURCE } from '../../kube/db-sync-lease.ts';
import type { ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { refuseOwnMigration } from '../dependency/own-migration.ts';
import { PLAIN } from '../shape/shape.ts';
import { judgeRecord } from './record.ts';

export const dbSync: ObjectKind = {
  form: 'object',
  word: 'db-sync',
  aliases: [],
  what: 'a migration',
  means:
    "kolla-db-sync's Lease (kolla-db-sync-NAME) reports the schema as ready for the service's code, or " +
    'for that of the release',
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['release'],
  canBeNegated: false,
  reads: ({ name = '' }) => [{ resource: LEASE_RESOURCE, by: 'own watch', name: dbSyncLease('', name).name }],
  make(dependency, options, effects) {
    const { name } = dbSyncLease('', dependency.name ?? '');
    const { release } = dependency;
    // The Lease's release annotation names the release of the last phase, not the release whose code may start.
    const waiter = objectWaiter({ ...dependency, name, release: undefined }, options, effects, {
      resource: {
        group: 'coordination.k8s.io',
        version: 'v1',
        resource: 'leases',
        kind: `Lease ${name}`,
        namespaced: true,
      },
      shape: PLAIN,
      judge: (lease) => judgeRecord(lease, release),
      ofMany: 'all',
      metadataOnly: true,
      isAlone: true,
      kubectlKind: 'lease',
    });
    return {
      hint: () => waiter.hint(),
      async wait(report, signal) {
        await refuseOwnMigration(dependency, options.self, effects, signal);
        return await waiter.wait(report, signal);
      },
    };
  },
};
