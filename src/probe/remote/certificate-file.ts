import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../core/errors.ts';
import { networkReason } from '../../net/network-error.ts';
import { unhealthy, type Verdict } from '../verdict.ts';
import { judgeValidity, type Validity } from './validity.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whether every certificate in a PEM file is valid now, and for `leftMs` more. */
export async function judgeFile(file: string, leftMs: number): Promise<Verdict> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return unhealthy(networkReason(error));
  }
  const blocks = text.match(CERTIFICATE);
  if (blocks === null) return unhealthy('it holds no certificate in PEM');
  const chain: Validity[] = [];
  for (const block of blocks) {
    try {
      const { subject, validFrom, validTo } = new X509Certificate(block);
      chain.push({ subject: nameIn(subject), validFrom, validTo });
    } catch (error) {
      return unhealthy(`it holds a broken certificate: ${messageOf(error)}`);
    }
  }
  return judgeValidity(chain, leftMs);
}

/** A line an attribute. */
function nameIn(subject: string | undefined): string {
  return /^CN=(.*)$/m.exec(subject ?? '')?.[1] ?? (subject ?? '').replaceAll('\n', ', ');
}
