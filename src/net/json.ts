import { exchange, type HttpAnswer } from './client.ts';
import { isCertificateError, networkReason } from './dial/network-error.ts';
import { ResolveError } from './resolver/error.ts';
import { authoritiesIn } from './dial/tls-ask.ts';

/** One request to an API that uses JSON. */
export interface JsonCall {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer extends Omit<HttpAnswer, 'body'> {
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
 * used, and then the outcome of a POST would be unknown. Rejects with the system's error if there is no response, and
 * with ConfigError for an unreadable CA file.
 */
export async function askJson(
  { method, url, headers = {}, body }: JsonCall,
  options: JsonOptions,
): Promise<JsonAnswer> {
  const { signal, answerMs, caFile, insecure = false } = options;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const late = AbortSignal.timeout(answerMs);
  try {
    const answer = await exchange({
      url,
      method,
      signal: AbortSignal.any([signal, late]),
      headers: {
        accept: 'application/json',
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: sent,
      connection: {
        ...(caFile === undefined || url.protocol !== 'https:' ? {} : { ca: await authoritiesIn(caFile) }),
        ...(insecure ? { rejectUnauthorized: false } : {}),
      },
    });
    return { ...answer, body: parsed(answer.body.toString()) };
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

/** Node's messages suggest options of Node, or quote its parser. */
function explained(error: NodeJS.ErrnoException, caFile: string | undefined): Error {
  // The code of an abort is a number.
  if (String(error.code).startsWith('HPE_')) return new Error('the server does not speak HTTP', { cause: error });
  if (error.code === 'EPROTO') return new Error('the server does not speak TLS', { cause: error });
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
