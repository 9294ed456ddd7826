import { METADATA_LIST, type Api } from './api.ts';
import { collectionPath } from './path.ts';
import { defined } from '../core/defined.ts';
import type { KubeObject, SetRef } from './types.ts';

/** Page size of kubectl and client-go, which keeps responses small on both sides. */
const PAGE = 500;

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
 * All objects of a set at one version, page by page. Throws ApiError; 410 if that version is compacted before the last
 * page.
 */
export async function listAll<T extends KubeObject>(
  api: Api,
  { ref, metadataOnly }: { readonly ref: SetRef; readonly metadataOnly: boolean },
  signal: AbortSignal,
): Promise<Listed<T>> {
  const items: T[] = [];
  for (let next = ''; ;) {
    const query = new URLSearchParams({
      limit: String(PAGE),
      ...defined({ fieldSelector: ref.fieldSelector, labelSelector: ref.labelSelector }),
      ...(next === '' ? {} : { continue: next }),
    });
    const path = `${collectionPath(ref)}?${query.toString()}`;
    const page = await api.ask<Page<T>>(metadataOnly ? { path, accept: METADATA_LIST } : { path }, signal);
    items.push(...(page.items ?? []));
    next = page.metadata.continue ?? '';
    if (next === '') return { items, version: page.metadata.resourceVersion };
  }
}
