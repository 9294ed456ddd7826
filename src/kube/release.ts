import { DB_SYNC_ANNOTATIONS } from './db-sync-lease.ts';
import type { KubeObject } from './types.ts';

/** What charts put on everything. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** What an object, or a Pod template, says that it belongs to: our annotation or, without it, its version label. */
export function releaseOf({
  annotations,
  labels,
}: Pick<KubeObject['metadata'], 'annotations' | 'labels'>): string | undefined {
  return annotations?.[DB_SYNC_ANNOTATIONS.release] ?? labels?.[VERSION_LABEL];
}
