import { formatAddress } from './address.ts';
import { ResolveError } from '../resolver/error.ts';

/**
 * Properties of Node's connection and file errors; errors of the QuickJS binaries (native/) have only the code and a
 * path.
 */
interface SystemError {
  readonly code?: unknown;
  readonly address?: string;
  readonly port?: number;
  readonly path?: string;
  readonly hostname?: string;
}

/** Texts for system error codes in terms that an operator knows. */
const MEANINGS: Readonly<Record<string, (place: string) => string>> = {
  ECONNREFUSED: (place) => `connection refused${by(place)}`,
  ECONNRESET: (place) => `connection reset${by(place)}`,
  EPIPE: (place) => `connection closed${by(place)}`,
  ETIMEDOUT: (place) => `no response${place && ` from ${place}`}: it is down, or a firewall drops packets`,
  EHOSTUNREACH: (place) => `no route to ${place || 'the host'}`,
  ENETUNREACH: (place) => `no route to the network of ${place || 'the host'}`,
  ENOTFOUND: (place) => `cannot resolve ${place || 'the host name'}`,
  EAI_AGAIN: (place) => `cannot resolve ${place || 'the host name'}: no DNS server answers`,
  ENOENT: (place) => `${place || 'the socket or file'} does not exist`,
  EACCES: (place) => `permission denied${place && ` for ${place}`}`,
};

function isFileCode(code: unknown): boolean {
  return code === 'ENOENT' || code === 'EACCES';
}

function by(place: string): string {
  return place && ` by ${place}`;
}

/**
 * Why a connection failed: a text with the address or path, then the system's code in parentheses, for a search, unless
 * it is about a file. Undefined for other errors.
 * @param asked the target, for errors that do not contain it
 */
export function connectReason(error: unknown, asked = ''): string | undefined {
  if (error instanceof ResolveError) return error.message;
  const { code } = error as SystemError;
  const meaning = typeof code === 'string' && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  const text = meaning?.(placesOf(error).join(', ') || asked);
  return text === undefined || isFileCode(code) ? text : `${text} (${String(code)})`;
}

/** The addresses that failed: all addresses of the name, if Node tried several. */
function placesOf(error: unknown): string[] {
  const each: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return [...new Set(each.flatMap((one) => placeOf(one as SystemError) ?? []))];
}

function placeOf({ address, port, path, hostname }: SystemError): string | undefined {
  if (address !== undefined && port !== undefined) return formatAddress({ host: address, port });
  return address ?? path ?? hostname;
}
