import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { networkReason } from '../../net/dial/network-error.ts';
import { unhealthy, healthyAs, type CheckResult } from '../ask/verdict.ts';
import { formatDuration } from '../../core/duration.ts';
import { oneLine } from '../../core/one-line.ts';

const DAY_MS = 86_400_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface Validity {
  /** The common name of the certificate's subject. */
  readonly subject: string;
  /** A time in OpenSSL's format: `Nov 21 14:28:01 2026 GMT`. */
  readonly validFrom: string;
  readonly validTo: string;
}

/**
 * Checks that all certificates of a chain are valid now, and for `leftMs` more; the detail is the time until the first
 * one expires.
 */
export function judgeValidity(chain: readonly Validity[], leftMs: number): CheckResult {
  const now = Date.now();
  const early = chain.find(({ validFrom }) => Date.parse(validFrom) > now);
  if (early !== undefined) {
    return unhealthy(
      `the certificate of '${oneLine(early.subject)}' is valid only from ${dateOf(early.validFrom)}: ` +
        'check the clocks',
    );
  }
  const [first] = chain.toSorted((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo));
  if (first === undefined) return unhealthy('no certificate was presented');
  const left = Date.parse(first.validTo) - now;
  const what = `the certificate of '${oneLine(first.subject)}'`;
  const until = dateOf(first.validTo);
  if (left <= 0)
    return unhealthy(`${what} has expired on ${until}, ${long(-left)} ago: renew it, and have the server load it`);
  if (left <= leftMs)
    return unhealthy(`${what} expires on ${until}, in ${long(left)}: renew it, and have the server load it`);
  return healthyAs(`valid until ${until}, ${long(left)} more`);
}

/** Checks that every certificate in a PEM file is valid now, and for `leftMs` more. */
export function judgeFile(file: string, leftMs: number): CheckResult {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return unhealthy(networkReason(error));
  }
  const blocks = text.match(CERTIFICATE);
  if (blocks === null) return unhealthy('it contains no PEM certificate');
  const chain: Validity[] = [];
  for (const block of blocks) {
    try {
      const { subject, validFrom, validTo } = new X509Certificate(block);
      chain.push({ subject: nameIn(subject), validFrom, validTo });
    } catch (error) {
      return unhealthy(`it contains an invalid certificate: ${messageOf(error)}`);
    }
  }
  return judgeValidity(chain, leftMs);
}

/** The common name in a subject, whose text has one attribute per line; without one, the whole subject. */
function nameIn(subject: string | undefined): string {
  return /^CN=(.*)$/m.exec(subject ?? '')?.[1] ?? (subject ?? '').replaceAll('\n', ', ');
}

function dateOf(text: string): string {
  return new Date(text).toISOString().replace(/\.\d+Z$/, 'Z');
}

function long(ms: number): string {
  return ms < 2 * DAY_MS ? formatDuration(ms) : `${Math.floor(ms / DAY_MS)} days`;
}
