import { readCertificate, type Certificate } from '../../core/digest.ts';

const BLOCK = /-----BEGIN ([^\n\r]*?)-----[^]*?-----END \1-----/g;
/** OpenSSL's older name for the same. */
const CERTIFICATE = /^(?:X509 )?CERTIFICATE$/;

/**
 * The certificates of a PEM file, in its order; text around them is skipped, as everybody does.
 * @throws RangeError with what is wrong: no certificate, one that is none, or a private key, which has no place in a store that all may read
 */
export function certificatesOf(text: string): Certificate[] {
  const blocks = [...text.matchAll(BLOCK)];
  const opened = text.match(/-----BEGIN /g)?.length ?? 0;
  if (opened > blocks.length) throw new RangeError('a block that begins does not end: is it cut off?');
  if (blocks.some(([, label = '']) => label.includes('PRIVATE KEY')))
    throw new RangeError('it holds a private key, and all may read this store');
  const certificates = blocks.filter(([, label = '']) => CERTIFICATE.test(label));
  if (certificates.length === 0) throw new RangeError('no certificate in PEM (-----BEGIN CERTIFICATE-----) is in it');
  return certificates.map(([block], i) => {
    try {
      return readCertificate(block);
    } catch {
      throw new RangeError(`certificate ${i + 1} of ${certificates.length} can't be read: its text is damaged`);
    }
  });
}

/** Whether a PEM file is certificates from its first byte to its last: a comment could hold anything, too. */
export function isCertificatesOnly(text: string): boolean {
  const others = text.replaceAll(BLOCK, (block, label: string) => (CERTIFICATE.test(label) ? '' : block));
  if (others.trim() !== '') return false;
  try {
    return certificatesOf(text).length > 0;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

/** A bundle with these at its end, but for those that it has already; line ends and order are the bundle's. */
export function bundleWith(bundle: string, added: readonly Certificate[]): string {
  const bodyOf = (pem: string) => pem.replaceAll(/-----[^-]*-----|\s/g, '');
  const there = new Set([...bundle.matchAll(BLOCK)].map(([block]) => bodyOf(block)));
  const more = added.map((certificate) => certificate.toString()).filter((pem) => !seen(there, bodyOf(pem)));
  const gap = more.length === 0 || bundle === '' || bundle.endsWith('\n') ? '' : '\n';
  return bundle + gap + more.join('');
}

function seen(there: Set<string>, body: string): boolean {
  const known = there.has(body);
  there.add(body);
  return known;
}
