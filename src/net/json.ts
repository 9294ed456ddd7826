import { exchange, type HttpAnswer } from './client.ts';
import { isUntrusted } from './network-error.ts';
import { authoritiesIn } from './tls-ask.ts';

/** One request to an API that speaks JSON. */
export interface JsonCall {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer extends Omit<HttpAnswer, 'body'> {
  /** Undefined where the answer was not JSON: then something between us and the API may have given it. */
  readonly body: unknown;
}

interface JsonOptions {
  readonly signal: AbortSignal;
  /** How long to wait for the whole answer. */
  readonly answerMs: number;
  /** PEM file; the authorities to trust instead of the well-known ones. Read at each call: it may be renewed. */
  readonly caFile?: string | undefined;
  /** Do not verify its certificate. */
  readonly insecure?: boolean;
}

/**
 * One request on a connection of its own, and its answer, whatever its status. A pooled connection may be closed by the
 * other side in the moment that we use it, and of a POST it is then unknown whether it was carried out.
 * Rejects with the system's error where there is no answer, and with ConfigError for a file of authorities that can't be read.
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
    if (late.aborted && !signal.aborted) throw new Error(`no answer in ${answerMs / 1000} s`, { cause: error });
    throw explained(error as NodeJS.ErrnoException, caFile);
  }
}

/** The other side's certificate is signed by no trusted CA: waiting does not help. */
export class UntrustedError extends Error {
  override name = 'UntrustedError';
}

/** Node's own words advise options of Node, or quote its parser. */
function explained(error: NodeJS.ErrnoException, caFile: string | undefined): Error {
  if (error.code?.startsWith('HPE_')) return new Error('the server does not speak HTTP', { cause: error });
  if (error.code === 'EPROTO') return new Error('the server does not speak TLS', { cause: error });
  if (!isUntrusted(error)) return error;
  const whom = caFile === undefined ? "a CA of this image's CA bundle" : `a CA in ${caFile}`;
  return new UntrustedError(`its certificate is not signed by ${whom} (${error.code})`, { cause: error });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
