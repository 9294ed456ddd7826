/** Number of base-36 digits of a digest: enough for 32 bits. */
export const DIGEST_DIGITS = 7;
const NEWLINE = 10;

/**
 * The digest of an event's first line, as the last digits of its document's ID: MurmurHash3 in four lanes, as
 * native/log-document.c computes it for lines that are taken in bulk. What is not UTF-8 counts as it is in the document.
 * @param text the event; only its first line counts
 */
export function lineDigest(text: Buffer): string {
  const end = text.indexOf(NEWLINE);
  const bytes = Buffer.from((end === -1 ? text : text.subarray(0, end)).toString('utf8'));
  const { length } = bytes;
  const blocks = length - (length % 16);
  const words = length - (length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < blocks; at += 16) {
    a = mixed(a, bytes.readInt32LE(at));
    b = mixed(b, bytes.readInt32LE(at + 4));
    c = mixed(c, bytes.readInt32LE(at + 8));
    d = mixed(d, bytes.readInt32LE(at + 12));
  }
  let hash = mixed(mixed(mixed(a, b), c), d);
  for (let at = blocks; at < words; at += 4) hash = mixed(hash, bytes.readInt32LE(at));
  if (words < length) hash = mixed(hash, bytes.readUIntLE(words, length - words));
  hash ^= length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(36).padStart(DIGEST_DIGITS, '0');
}

function mixed(hash: number, word: number): number {
  const scrambled = Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotated(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
