import { HttpParseError } from '../../../net/codec/head.ts';
import { TlsAlertError } from '../../../net/dial/tls-alert.ts';
import { ResolveError } from '../../../net/resolver/error.ts';

/** curl's exit code (`man curl`) and the reason. Kolla's script maps each code to 1. */
export class CurlError extends Error {
  override name = 'CurlError';
  readonly number: number;

  constructor(number: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.number = number;
  }
}

/** Progress of a transfer. */
export interface Reached {
  readonly isConnected: boolean;
  readonly isAnswered: boolean;
}

/** Maps our errors to curl's exit codes. */
export function curlErrorOf(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  { isConnected, isAnswered }: Reached,
): CurlError {
  if (error instanceof CurlError) return error;
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  const { code = '', message } = first as NodeJS.ErrnoException;
  const made = (number: number, text: string) => new CurlError(number, text, { cause: error });
  if (error instanceof ResolveError) return made(6, `Could not resolve host: ${host} (${code})`);
  if (!isConnected) return made(7, `Failed to connect to ${host} port ${port}: ${code || message}`);
  if (error instanceof HttpParseError || error instanceof TlsAlertError)
    return made(1, `Received HTTP/0.9 when not allowed (${message})`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return made(35, `TLS connect error: ${message.replaceAll(/\s+/g, ' ').trim()}`);
  if (code === 'ECONNRESET' && isAnswered) return made(18, 'transfer closed with outstanding read data remaining');
  if (message === 'socket hang up') return made(52, 'Empty reply from server');
  return made(56, `Recv failure: ${code || message}`);
}
