import type { KubeObject } from '../../kube/types.ts';
import { revisionOf, secretPrefix, type Release } from '../helm/release.ts';
import { labelOf } from './desired.ts';

/** What the metadata of Helm's Secrets says about a release. */
export interface History {
  /** The newest revision; 0 if there is none. */
  readonly revision: number;
  /** Changes with the newest revision's Secret. */
  readonly version: string;
  /** The OpenStack releases of the deployed revision and of later ones. */
  readonly attempted: readonly string[];
  /** Number of failed revisions after the last other one. */
  readonly failures: number;
}

/**
 * @param secrets metadata of Secrets, from a cache
 * @param newest the newest revision, which may be newer than the cache
 */
export function historyOf(secrets: Iterable<KubeObject>, name: string, newest: Release | undefined): History {
  const prefix = secretPrefix(name);
  const revisions = [...secrets]
    // First, since there are thousands of others with many services.
    .filter(({ metadata }) => metadata.name.startsWith(prefix))
    .flatMap((secret) => {
      const found = revisionOf(secret);
      return found?.name === name ? [{ revision: found.revision, metadata: secret.metadata }] : [];
    })
    .map(({ revision, metadata }) => ({
      revision,
      version: `${metadata.name}@${metadata.resourceVersion}`,
      status: metadata.labels?.['status'] ?? '',
      labels: metadata.labels ?? {},
    }))
    .filter(({ revision }) => revision !== newest?.revision);
  const all = newest === undefined ? revisions : [...revisions, { ...newest, version: '' }];
  const sorted = all.toSorted((a, b) => a.revision - b.revision);
  const since = Math.max(
    0,
    sorted.findLastIndex(({ status }) => status === 'deployed'),
  );
  return {
    revision: sorted.at(-1)?.revision ?? 0,
    version: sorted.at(-1)?.version ?? '',
    attempted: sorted.slice(since).flatMap((one) => labelOf(one, 'release') ?? []),
    failures: sorted.length - 1 - sorted.findLastIndex(({ status }) => status !== 'failed'),
  };
}
