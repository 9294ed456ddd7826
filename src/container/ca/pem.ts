import { readCertificate, type Certificate } from '#digest';

/** The label of a certificate, also in an older form that OpenSSL still accepts. */
const CERTIFICATE = /^(?:X509 )?CERTIFICATE$/;

/**
 * The certificates of a PEM file in order. As usual, text around them is skipped.
 * @throws RangeError with the problem: no certificate, an invalid one, or a private key, which must not be in a
 * world-readable store
 */
export function certificatesOf(text: string): Certificate[] {
  const blocks = blocksOf(text);
  const opened = text.match(/-----BEGIN /g)?.length ?? 0;
  if (opened > blocks.length) throw new RangeError('a block that begins does not end: is it truncated?');
  if (blocks.some(({ label }) => label.includes('PRIVATE KEY')))
    throw new RangeError('it contains a private key, and this store is world-readable');
  const certificates = blocks.filter(({ label }) => CERTIFICATE.test(label));
  if (certificates.length === 0) throw new RangeError('it contains no PEM certificate (-----BEGIN CERTIFICATE-----)');
  return certificates.map(({ pem }, i) => {
    try {
      return readCertificate(pem);
    } catch {
      throw new RangeError(`certificate ${i + 1} of ${certificates.length} can't be read: its text is damaged`);
    }
  });
}

/** Whether a PEM file contains only certificates, and no text around them, which could be anything. */
export function isCertificatesOnly(text: string): boolean {
  let at = 0;
  for (const { label, from, to } of blocksOf(text)) {
    if (!CERTIFICATE.test(label) || text.slice(at, from).trim() !== '') return false;
    at = to;
  }
  if (text.slice(at).trim() !== '') return false;
  try {
    return certificatesOf(text).length > 0;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

/** The bundle with the missing certificates appended. Its line endings and order are kept. */
export function bundleWith(bundle: string, added: readonly Certificate[]): string {
  const bodyOf = (pem: string) => pem.replaceAll(/-----[^-]*-----|\s/g, '');
  const there = new Set(blocksOf(bundle).map(({ pem }) => bodyOf(pem)));
  const more = added.map((certificate) => certificate.toString()).filter((pem) => !seen(there, bodyOf(pem)));
  const gap = more.length === 0 || bundle === '' || bundle.endsWith('\n') ? '' : '\n';
  return bundle + gap + more.join('');
}

function seen(there: Set<string>, body: string): boolean {
  const known = there.has(body);
  there.add(body);
  return known;
}

/** The text from `-----BEGIN` to the last dash of the end marker. */
interface Block extends Marker {
  readonly pem: string;
}

interface Marker {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Each block up to the first end marker of its label. Two scans find them, because a regular expression with a back
 * reference takes minutes for 40 KB of start markers.
 */
function blocksOf(text: string): Block[] {
  const ends = Map.groupBy(markersOf(text, '-----END ').toReversed(), ({ label }) => label);
  const blocks: Block[] = [];
  for (const { label, from, to } of markersOf(text, '-----BEGIN ')) {
    if (from < (blocks.at(-1)?.to ?? 0) || /[\n\r]/.test(label)) continue;
    const own = ends.get(label) ?? [];
    while (own.length > 0 && own.at(-1)!.from < to) own.pop();
    const end = own.at(-1)?.to;
    if (end !== undefined) blocks.push({ label, from, to: end, pem: text.slice(from, end) });
  }
  return blocks;
}

/** All markers with this start, up to the next dashes. */
function markersOf(text: string, begin: string): Marker[] {
  const found: Marker[] = [];
  for (let from = text.indexOf(begin); from !== -1; from = text.indexOf(begin, from + begin.length)) {
    const close = text.indexOf('-----', from + begin.length);
    if (close === -1) break;
    found.push({ label: text.slice(from + begin.length, close), from, to: close + 5 });
  }
  return found;
}
