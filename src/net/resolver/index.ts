/**
 * Resolves names like the C library with `hosts: files dns`, on both engines and without a thread, so that a silent DNS
 * server delays nothing else and a signal ends a lookup at once (docs/adr/0030):
 *
 *   an address -> itself; /etc/hosts; localhost -> loopback
 *   -> resolv.conf, read each time: each form of the name (search, ndots), each server, with its retries -> A and AAAA
 *     in parallel (query.ts) -> the addresses of each as soon as they are known
 *
 * Errors: ResolveError (no such name, no address, a server that fails or is silent), the signal's reason.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../../core/errors.ts';
import { addressesIn, candidates, numericAddress, readConf, type ResolverConf } from './conf.ts';
import { ResolveError } from './error.ts';
import { query, type Answer, type RecordType } from './query.ts';

const LOOPBACK = ['::1', '127.0.0.1'];

/**
 * All addresses of a name.
 * @returns at least one
 * @throws ResolveError, or the signal's reason
 */
export async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const all: string[] = [];
  await lookUp(name, signal, (found) => all.push(...found));
  return all;
}

/**
 * Resolves when all addresses are known.
 * @param onFound called at least once, with some of the addresses
 * @throws as resolveName()
 */
export async function lookUp(
  name: string,
  signal: AbortSignal,
  onFound: (addresses: readonly string[]) => void,
): Promise<void> {
  const known = withoutDns(name);
  if (known !== undefined) return onFound(known);
  const conf = readConf(textOf('/etc/resolv.conf'));
  const types: readonly RecordType[] = conf.flags.has('no-aaaa') ? ['A'] : ['AAAA', 'A'];
  const answers: Answer[] = [];
  for (const candidate of candidates(name, conf).filter(isSendable)) {
    const askFor = async (type: RecordType) => {
      const answer = await ask(candidate, type, conf, signal);
      if (answer.addresses.length > 0) onFound(answer.addresses);
      return answer;
    };
    const both = conf.flags.has('single-request') ? await inTurn(types, askFor) : await Promise.all(types.map(askFor));
    if (both.some(({ addresses }) => addresses.length > 0)) return;
    answers.push(...both);
    // As in the C library: of a name that might exist, no longer form is tried, which could be another host.
    if (both.some(({ code }) => code === SILENT)) break;
  }
  throw failureOf(name, answers, conf);
}

async function inTurn(types: readonly RecordType[], askFor: (type: RecordType) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const type of types) answers.push(await askFor(type));
  return answers;
}

function withoutDns(name: string): readonly string[] | undefined {
  const address = numericAddress(name);
  if (address !== undefined) return [address];
  const known = addressesIn(textOf('/etc/hosts'), name);
  if (known.length > 0) return known;
  return /^(?:.+\.)?localhost\.?$/i.test(name) ? LOOPBACK : undefined;
}

/** Limits of RFC 1035: labels of 1 to 63 bytes, 253 bytes in total. */
function isSendable(name: string): boolean {
  return /^[!-~]{1,253}$/.test(name) && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** Definitive results: the name exists, or it does not. */
const DEFINITIVE = new Set(['NOERROR', 'NXDOMAIN']);
const SILENT = 'no response';

/** The answer of the first server that has one; otherwise the last failure, or SILENT. */
async function ask(
  name: string,
  type: RecordType,
  { servers, attempts, timeoutMs, flags }: ResolverConf,
  signal: AbortSignal,
): Promise<Answer> {
  let failed: Answer = { code: SILENT, addresses: [] };
  for (let attempt = 0; attempt < attempts; attempt++)
    for (const server of inOrder(flags.has('rotate') ? rotated(servers) : servers)) {
      let answer: Answer | undefined;
      try {
        answer = await within(timeoutMs, signal, (bounded) => query({ server, name, type, flags }, bounded));
      } finally {
        if (answer === undefined) silent.add(server);
        else silent.delete(server);
      }
      if (answer !== undefined && DEFINITIVE.has(answer.code)) return answer;
      failed = answer ?? failed;
    }
  return failed;
}

/** Servers that did not answer the last query. */
const silent = new Set<string>();

/** The silent servers last: a deadline shorter than their timeout would otherwise never reach another one. */
function inOrder(servers: readonly string[]): readonly string[] {
  return [...servers.filter((server) => !silent.has(server)), ...servers.filter((server) => silent.has(server))];
}

let turn = 0;
function rotated(servers: readonly string[]): readonly string[] {
  const first = turn++ % servers.length;
  return [...servers.slice(first), ...servers.slice(0, first)];
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
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await act(bound.signal);
  } catch (error) {
    signal.throwIfAborted();
    // The server is unreachable. Any other error is a bug.
    if (bound.signal.aborted || codeOf(error) !== undefined) return undefined;
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', abort);
  }
}

function failureOf(name: string, answers: readonly Answer[], { servers }: ResolverConf): ResolveError {
  const failed = answers.find(({ code }) => !DEFINITIVE.has(code))?.code;
  const which = `${servers.length === 1 ? 'DNS server' : 'DNS servers'} ${servers.join(', ')}`;
  if (failed === SILENT) return new ResolveError('EAI_AGAIN', name, `no response from the ${which}`);
  if (failed !== undefined) return new ResolveError('EAI_AGAIN', name, `${failed} from the ${which}`);
  if (answers.length === 0) return new ResolveError('ENOTFOUND', name, 'not a host name');
  const exists = answers.some(({ code }) => code === 'NOERROR');
  return new ResolveError('ENOTFOUND', name, exists ? 'the name has no address' : 'no such name');
}

/** As in the C library, a missing file is an empty one. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
