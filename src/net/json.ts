import { HEAD_MAX_BYTES } from './codec/answer.ts';
import { get } from './codec/get.ts';
import { HttpParseError, type Headers } from './codec/head.ts';
import { isCertificateError, networkReason } from './dial/network-error.ts';
import { ResponseTooLargeError } from './dial/too-large.ts';
import { BODY_MAX_BYTES } from './bounded-body.ts';
import { BoundedBytes } from './bounded-bytes.ts';
import { requestParts } from './request-parts.ts';
import { ResolveError } from './resolver/error.ts';

/** One request to an API that uses JSON. */
export interface JsonCall {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if the response was not JSON; it may come from a proxy. */
  readonly body: unknown;
}

interface JsonOptions {
  readonly signal: AbortSignal;
  /** Timeout for the full response. */
  readonly answerMs: number;
  /**
   * PEM file of CA certificates that are trusted instead of the system's. It is read on each call, because it may be
   * renewed.
   */
  readonly caFile?: string | undefined;
  /** Whether the certificate is not verified. */
  readonly insecure?: boolean;
}

/**
 * One request on a new connection, and its response, whatever its status. A pooled connection may be closed as it is
 * used, and then the outcome of a POST would be unknown. No proxy is used. Rejects with the system's error if there is
 * no response, and with ConfigError for an unreadable CA file.
 */
export async function askJson(
  { method, url, headers = {}, body }: JsonCall,
  options: JsonOptions,
): Promise<JsonAnswer> {
  const { signal, answerMs, caFile, insecure } = options;
  const { to, isTls, target, headers: own } = requestParts(url);
  const late = AbortSignal.timeout(answerMs);
  const answer = new BoundedBytes(BODY_MAX_BYTES);
  try {
    const head = await get({
      to,
      tls: isTls ? { caFile, insecure } : undefined,
      method,
      target,
      signal: AbortSignal.any([signal, late]),
      headers: Object.entries({
        ...own,
        connection: 'close',
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }),
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      onBody: (piece) => answer.add(piece),
    });
    return { status: head.status, headers: head.headers, body: parsed(answer.whole.toString()) };
  } catch (error) {
    // Also when it is late: then nothing was sent.
    if (error instanceof ResolveError) throw error;
    if (late.aborted && !signal.aborted) throw new Error(`no response in ${answerMs / 1000} s`, { cause: error });
    throw explained(error as NodeJS.ErrnoException, caFile);
  }
}

/** The peer's certificate is not trusted, which waiting does not change. */
export class UntrustedError extends Error {
  override name = 'UntrustedError';
}

/** Node's messages suggest options of Node, or quote its library; the parser's are about bytes. */
function explained(error: NodeJS.ErrnoException, caFile: string | undefined): Error {
  if (error instanceof HttpParseError) {
    if (error.isTooLong) return new ResponseTooLargeError(HEAD_MAX_BYTES, 'a response head', { cause: error });
    return new Error('the server does not speak HTTP', { cause: error });
  }
  // The code of an abort is a number.
  if (/^(?:EPROTO$|ERR_SSL_)/.test(String(error.code))) return new Error(networkReason(error), { cause: error });
  if (!isCertificateError(error)) return error;
  return new UntrustedError(networkReason(error, caFile), { cause: error });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
