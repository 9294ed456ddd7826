import type { LookupFunction } from 'node:net';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** PEM file of a CA bundle that is trusted instead of the system's. */
  readonly caFile?: string | undefined;
  readonly insecure?: boolean;
  /** The lookup function; by default Node's. */
  readonly lookup?: LookupFunction;
  /** The method; the default is GET. No request has a body. */
  readonly method?: string;
  /** Whether a response with that status is complete only with its body, or the beginning of its body. */
  readonly awaitsBody?: (status: number) => boolean;
}

/** Maximum size of the body; the rest of a longer body is not waited for. */
export const BODY_BYTES = 65_536;
