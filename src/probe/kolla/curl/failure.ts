/** What curl ends with, by its own number (`man curl`), and why. Kolla's script makes 1 of each number. */
export class CurlError extends Error {
  override name = 'CurlError';
  readonly number: number;

  constructor(number: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.number = number;
  }
}

/** Whom we asked, for the message. */
interface Asked {
  readonly host: string;
  readonly port: number;
}

/**
 * Node's error as curl would number it.
 * @param wasConnected whether it came after the connection was made
 */
export function curlErrorOf(error: unknown, { host, port }: Asked, wasConnected: boolean): CurlError {
  if (error instanceof CurlError) return error;
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  const { code = '', message, syscall } = first as NodeJS.ErrnoException;
  const made = (number: number, text: string) => new CurlError(number, text, { cause: error });
  if (syscall === 'getaddrinfo') return made(6, `Could not resolve host: ${host} (${code})`);
  if (!wasConnected) return made(7, `Failed to connect to ${host} port ${port}: ${code || message}`);
  if (code.startsWith('HPE_')) return made(1, `Received HTTP/0.9 when not allowed (${code})`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return made(35, `TLS connect error: ${message.replaceAll(/\s+/g, ' ').trim()}`);
  if (message === 'socket hang up') return made(52, 'Empty reply from server');
  return made(56, `Recv failure: ${code || message}`);
}
