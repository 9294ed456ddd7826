/**
 * `asks PORT CA-FILE FIRST COUNT`: asks a server that damages its answers, several times at once, each time in another
 * way. Prints how often each reason came; a reason that only our own mistake has, or a missing one, ends with 70.
 */
import { networkReason } from '../../../src/net/dial/network-error.ts';
import { requestOnce } from '../../../src/net/request-once.ts';
import { judgeServer } from '../../../src/probe/remote/handshake.ts';

const AT_ONCE = 8;
/** The server ends a connection on which nothing happens long before. */
const DEADLINE_MS = 60_000;

export async function main([port, caFile, first, count]: string[]): Promise<number> {
  const reasons = new Map<string, number>();
  let next = Number(first);
  const end = next + Number(count);
  const worker = async () => {
    while (next < end) {
      const reason = plain(await outcomeOf(next++, Number(port), String(caFile)));
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.stdout.write(JSON.stringify(Object.fromEntries(reasons)));
  return 0;
}

async function outcomeOf(number: number, port: number, caFile: string): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const insecure = number % 2 === 0;
  const trust = insecure ? {} : { caFile };
  const verify = { ...trust, insecure };
  if (number % 3 === 0) {
    const verdict = await judgeServer({ at: { host: '127.0.0.1', port }, verify, leftMs: 0 }, signal, () => {});
    return judged(verdict.healthy ? (verdict.detail ?? '') : verdict.reason, signal);
  }
  const scheme = number % 7 === 0 ? 'http' : 'https';
  try {
    const { status } = await requestOnce(new URL(`${scheme}://127.0.0.1:${port}/`), {
      signal,
      ...verify,
      awaitsBody: () => true,
    });
    return `status ${status}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isMistake(error)) throw error;
    return judged(networkReason(error, trust.caFile), signal);
  }
}

/** HttpParseError and its like have names of their own. */
function isMistake({ name }: Error): boolean {
  return ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'InternalError'].includes(name);
}

function judged(reason: string, signal: AbortSignal): string {
  if (signal.aborted) throw new TypeError(`no end: ${reason}`);
  if (/undefined|not a function|\[object|^$|: $/.test(reason)) throw new TypeError(`says ${reason}`);
  return reason;
}

/** Without what is of one certificate. */
function plain(reason: string): string {
  return reason
    .replaceAll(/'.*'|\S*ca\.pem/g, '_')
    .replaceAll(/\d+/g, '0')
    .slice(0, 70);
}
