import { METADATA_LIST, type Api } from './api.ts';
import { collectionPath } from './path.ts';
import { ResponseTooLargeError } from '../net/dial/too-large.ts';
import type { KubeObject, SetRef } from './types.ts';

/** Page size of kubectl and client-go, which keeps responses small on both sides. */
const PAGE = 500;
/** Divisor of the page size after a response that was too large: an object has at most 1.5 MiB (etcd's limit). */
const SMALLER = 8;

interface Page<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

interface Listed<T> {
  readonly items: readonly T[];
  /** The version from which a watch continues. */
  readonly version: string | undefined;
}

/**
 * All objects of a set at one version, page by page, smaller ones for large objects. Throws ApiError; 410 if that version is compacted before the last
 * page.
 */
export async function listAll<T extends KubeObject>(
  api: Api,
  { ref, metadataOnly }: { readonly ref: SetRef; readonly metadataOnly: boolean },
  signal: AbortSignal,
): Promise<Listed<T>> {
  const items: T[] = [];
  let limit = PAGE;
  for (let next: string | undefined; ;) {
    const { fieldSelector, labelSelector } = ref;
    const path = collectionPath(ref, { limit, fieldSelector, labelSelector, continue: next });
    const call = metadataOnly ? { path, accept: METADATA_LIST } : { path };
    const page = await api.ask<Page<T>>(call, signal).catch((error: unknown) => {
      if (limit === 1 || !(error instanceof ResponseTooLargeError)) throw error;
      return undefined;
    });
    if (page === undefined) {
      limit = Math.ceil(limit / SMALLER);
      continue;
    }
    items.push(...(page.items ?? []));
    next = page.metadata.continue;
    if (next === undefined || next === '') return { items, version: page.metadata.resourceVersion };
  }
}
