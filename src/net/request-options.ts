import type { LookupFunction } from 'node:net';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** PEM file of the CA bundle to trust instead of the well-known CAs. */
  readonly caFile?: string | undefined;
  readonly insecure?: boolean;
  /** Instead of Node's own. */
  readonly lookup?: LookupFunction;
  /** GET by default; no request has a body. */
  readonly method?: string;
  /** Whether a response with that status requires its body, or its first part. */
  readonly awaitsBody?: (status: number) => boolean;
}

/** The rest of a longer body is not waited for. */
export const BODY_BYTES = 65_536;
