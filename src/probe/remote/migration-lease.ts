import { UsageError, messageOf } from '../../core/errors.ts';
import { dbSyncLease, dbSyncRecord, readinessIn } from '../../kube/db-sync-lease.ts';
import { givenKubeSource } from '../../kube/source.ts';
import type { KubeObject } from '../../kube/types.ts';
import { healthyAs, unhealthy, type Question } from '../ask/verdict.ts';

export interface LeaseQuery {
  /** The name of the migration. */
  readonly name: string;
  readonly release: string | undefined;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
}

/**
 * Checks that a migration's Lease reports the schema as ready.
 * @throws UsageError without an API server
 */
export function leaseQuestion(query: LeaseQuery, subject: string, inherited: NodeJS.ProcessEnv): Question {
  const source = givenKubeSource(query.kubeconfig, inherited);
  if (source === undefined) {
    throw new UsageError(
      'db-sync: no API server: give --kubeconfig, mount a ServiceAccount, or query the database with --server',
    );
  }
  return {
    subject,
    hosts: ['the API server'],
    async ask(signal, tell = () => {}) {
      const { connectKube, objectPath } = await import('../../kube/index.ts');
      try {
        using client = await connectKube(source);
        const ref = dbSyncLease(query.namespace ?? client.namespace, query.name);
        tell(`the API server ${client.server} does not respond`);
        const lease = await client.get<KubeObject>(objectPath(ref), { signal, metadataOnly: true });
        const { isReady, says } = readinessIn(dbSyncRecord(lease), query.release);
        return isReady ? healthyAs(says) : unhealthy(`Lease ${ref.name}: ${says}`);
      } catch (error) {
        return unhealthy(whyNot(error));
      }
    },
  };
}

function whyNot(error: unknown): string {
  const { status } = error as { status?: number };
  if (status === 404) return 'no migration by kolla-db-sync yet: there is no Lease of that name';
  return status === 403 ? `${messageOf(error)}; its Role must allow get on leases` : messageOf(error);
}
