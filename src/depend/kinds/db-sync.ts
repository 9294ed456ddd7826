import { dbSyncLease } from '../../platform/kube/db-sync-lease.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import { refuseOwnMigration } from '../own-migration.ts';
import { judgeRecord, LEASE_RESOURCE } from '../record.ts';

export const dbSync: ObjectKind = {
  form: 'object',
  word: 'db-sync',
  aliases: [],
  what: 'a migration',
  means: "kolla-db-sync's Lease (kolla-db-sync-NAME) says that the migration is done",
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['release'],
  canBeNegated: false,
  reads: ({ name = '' }) => [{ resource: LEASE_RESOURCE, by: 'own watch', name: dbSyncLease('', name).name }],
  make(dependency, options, effects) {
    const { name } = dbSyncLease('', dependency.name ?? '');
    const waiter = objectWaiter({ ...dependency, name }, options, effects, {
      resource: {
        group: 'coordination.k8s.io',
        version: 'v1',
        resource: 'leases',
        kind: `Lease ${name}`,
        namespaced: true,
      },
      judge: (lease) => judgeRecord(lease, undefined),
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
