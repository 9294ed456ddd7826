/**
 * Resolves names like the C library with `hosts: files dns`:
 *
 *   an address -> itself; /etc/hosts; localhost -> loopback
 *   -> resolv.conf: each form of the name (search, ndots), each server, with its retries -> A and AAAA in parallel
 *     (query.ts)
 *
 * Errors: no such name (ENOTFOUND), no server that responds (EAI_AGAIN), the signal.
 */
import { unlessAbsent } from '../../../fs/absent.ts';
import { AbortController, type AbortSignal } from '../../abort.ts';
import { readFileSync } from '../../fs.ts';
import { clearTimeout, setTimeout } from '../../loop.ts';
import { isIP } from '../address.ts';
import { addressesIn, candidates, readConf, type ResolverConf } from './conf.ts';
import { query, type Answer, type RecordType } from './query.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

/** @returns at least one address. Rejects like Node's lookup: `getaddrinfo ENOTFOUND name` */
export async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name];
  const known = addressesIn(textOf('/etc/hosts'), name);
  if (known.length > 0) return known;
  if (/^(?:.+\.)?localhost\.?$/i.test(name)) return LOOPBACK;
  const conf = readConf(textOf('/etc/resolv.conf'));
  let isSilent = false;
  for (const one of candidates(name, conf).filter(isSendable)) {
    const answers = await Promise.all((['A', 'AAAA'] as const).map((type) => ask(one, type, conf, signal)));
    const addresses = answers.flatMap((answer) => answer?.addresses ?? []);
    if (addresses.length > 0) return addresses;
    isSilent ||= answers.includes(undefined);
  }
  const code = isSilent ? 'EAI_AGAIN' : 'ENOTFOUND';
  throw Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, syscall: 'getaddrinfo', hostname: name });
}

/** Limits of RFC 1035: labels of 1 to 63 bytes, 253 bytes in total. */
function isSendable(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** Definitive results: the name exists, or it does not. */
const ANSWERS = new Set(['NOERROR', 'NXDOMAIN']);

/** Undefined if no server responds. */
async function ask(
  name: string,
  type: RecordType,
  { servers, attempts, timeoutMs }: ResolverConf,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++)
    for (const server of servers) {
      const answer = await within(timeoutMs, signal, (bounded) => query(server, name, type, bounded));
      if (answer !== undefined && ANSWERS.has(answer.code)) return answer;
    }
  return undefined;
}

/** Undefined after a timeout or a failure. Rejects with the signal's reason. */
async function within<T>(
  milliseconds: number,
  signal: AbortSignal,
  act: (bounded: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const bound = new AbortController();
  const late = setTimeout(() => bound.abort(), milliseconds);
  const abort = () => bound.abort(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    return await act(bound.signal);
  } catch (error) {
    signal.throwIfAborted();
    // The server is unreachable. Any other error is a bug.
    if (bound.signal.aborted || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', abort);
  }
}

function textOf(file: string): string {
  return unlessAbsent(() => readFileSync(file, 'utf8')) ?? '';
}
