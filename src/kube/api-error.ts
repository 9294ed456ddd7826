import { NotPermittedError } from '../core/errors.ts';
import type { StreamedAnswer } from '../net/pool/index.ts';
import type { Api } from './api.ts';
import type { Timing } from './timing.ts';

const RETRY_AFTER_MAX_MS = 300_000;

/** An error status from the API server, with its message. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** The Retry-After that the server sent, at most 5 minutes. */
  readonly retryAfterMs: number;
  /** The reason, such as `AlreadyExists`, `Conflict` or `NotFound`, which distinguishes meanings of one status. */
  readonly reason: string | undefined;

  constructor(status: number, message: string, retryAfterMs = 0, reason?: string) {
    super(message);
    this.status = status;
    // Unchanged, a large number would be a pause of days, or of none: a timer of more than 24 days expires at once.
    this.retryAfterMs = Math.min(Math.max(Number.isFinite(retryAfterMs) ? retryAfterMs : 0, 0), RETRY_AFTER_MAX_MS);
    this.reason = reason;
  }
}

/** For a read or deletion of an object that may be missing: undefined. Throws any other error. */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
  return undefined;
}

/** For a read that may be denied: undefined. Throws any other error. */
export function unlessDenied(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 403)) throw error;
  return undefined;
}

/** The API server denies every way to read an object: exit code 77. */
export class ForbiddenError extends NotPermittedError {
  override name = 'ForbiddenError';
  /** The denial (user, verb, resource) without the fix. */
  readonly refusal: string;

  /** @param fix the fix, written after the denial */
  constructor(refusal: string, fix: string, options?: ErrorOptions) {
    super(`${refusal}; ${fix}`, options);
    this.refusal = refusal;
  }
}

/** Enough for any Status object; a proxy's error page may be longer. */
const BODY_MAX_BYTES = 65_536;

export async function errorFrom(response: StreamedAnswer): Promise<ApiError> {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > BODY_MAX_BYTES) break;
  }
  const { message, reason } = statusIn(Buffer.concat(chunks).toString());
  return new ApiError(status, message ?? `status ${status}`, seconds * 1000, reason);
}

/** An ERROR event of a watch has the same Status object. */
export function errorFromStatus(object: unknown): ApiError {
  const { code, message, reason, details } = (object ?? {}) as {
    code?: number;
    message?: string;
    reason?: string;
    details?: { retryAfterSeconds?: unknown };
  };
  const status = typeof code === 'number' ? code : 500;
  return new ApiError(status, message ?? `status ${status}`, Number(details?.retryAfterSeconds ?? 0) * 1000, reason);
}

function statusIn(body: string): { readonly message?: string; readonly reason?: string } {
  try {
    const { message, reason } = JSON.parse(body) as { message?: unknown; reason?: unknown };
    return {
      ...(typeof message === 'string' && message !== '' ? { message } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
    };
  } catch {
    return {}; // not a Status object: a proxy has answered
  }
}

/**
 * Distinguishes a real 403 from one of an API server that has just started: until it has loaded its Roles it denies
 * everything, and is not ready. If readiness may not be read, a lasting denial counts as real.
 */
export class Refusal {
  readonly #api: Api;
  readonly #timing: Timing;
  #since: number | undefined;

  constructor(api: Api, timing: Timing) {
    this.#api = api;
    this.#timing = timing;
  }

  /** Called after each 403. */
  async confirmForbidden(signal: AbortSignal): Promise<boolean> {
    this.#since ??= performance.now();
    return performance.now() - this.#since >= this.#timing.refusedMs || (await this.#api.isReady(signal));
  }

  /** Called when access was granted. */
  forget(): void {
    this.#since = undefined;
  }
}
