/**
 * Replaces Node's X509Certificate: PEM -> DER -> a full syntax check of the certificate (RFC 5280, 4.1) -> its bytes.
 *
 * Everything accepted here is accepted by OpenSSL with the same bytes; not always vice versa: OpenSSL reads BER, with
 * several encodings of one value, and allows trust data after a certificate. Keys and signatures are not checked, as
 * OpenSSL does not before it needs them.
 */
import { isUtf8 } from 'node:buffer';
import type { Certificate } from '../../core/digest.ts';
import { isBitString, Parts, TAG } from './der-parts.ts';

/**
 * The certificate of a PEM block.
 * @param pem the text from `-----BEGIN` to the last dash
 * @throws RangeError with the problem
 */
export function readCertificate(pem: string): Certificate {
  const raw = bytesOf(pem);
  const parts = new Parts(raw, 'the block');
  checkCertificate(new Parts(parts.take(TAG.sequence, 'a certificate'), 'the certificate'));
  parts.end();
  return { raw, toString: () => pemOf(raw) };
}

/** OpenSSL's two labels of a certificate. */
const FIRST = /^-----BEGIN (?:X509 )?CERTIFICATE-----[\t\r ]*$/;
const LAST = /^-----END (?:X509 )?CERTIFICATE-----$/;
/**
 * Matches lines of any length, with trailing spaces at most. OpenSSL accepts nothing else, except for a legacy header.
 */
const LINE = /^([A-Za-z0-9+/]+={0,2})[\t\r ]*$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function bytesOf(pem: string): Buffer {
  const [first = '', ...lines] = pem.split('\n');
  if (!FIRST.test(first) || !LAST.test(lines.pop() ?? ''))
    throw new RangeError('-----BEGIN or -----END is not on a line of its own');
  const text = lines.map((line) => LINE.exec(line)?.[1] ?? '?').join('');
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw new RangeError('its text is not base64');
  return Buffer.from(text, 'base64');
}

function pemOf(raw: Buffer): string {
  const lines = raw.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function checkCertificate(certificate: Parts): void {
  checkBody(new Parts(certificate.take(TAG.sequence, 'what is signed'), 'what is signed'));
  checkAlgorithm(certificate);
  certificate.take(TAG.bitString, 'the signature');
  certificate.end();
}

function checkBody(body: Parts): void {
  if (body.next === TAG.version) {
    const version = new Parts(body.take(TAG.version, 'the version'), 'the version');
    version.take(TAG.integer, 'its number');
    version.end();
  }
  body.take(TAG.integer, 'the serial number');
  checkAlgorithm(body);
  checkName(body, 'the issuer');
  const validity = new Parts(body.take(TAG.sequence, 'the validity'), 'the validity');
  for (const what of ['its begin', 'its end'])
    validity.take(validity.next === TAG.utcTime ? TAG.utcTime : TAG.generalizedTime, what);
  validity.end();
  checkName(body, 'the subject');
  const key = new Parts(body.take(TAG.sequence, 'the public key'), 'the public key');
  checkAlgorithm(key);
  key.take(TAG.bitString, 'its bits');
  key.end();
  for (const id of [TAG.issuerId, TAG.subjectId])
    if (body.next === id && !isBitString(body.take(id, 'an id'))) throw new RangeError('an id that is no bits');
  if (body.next === TAG.extensions) checkExtensions(body);
  body.end();
}

function checkAlgorithm(holder: Parts): void {
  const algorithm = new Parts(holder.take(TAG.sequence, 'an algorithm'), 'an algorithm');
  algorithm.take(TAG.objectIdentifier, 'its name');
  if (algorithm.next !== undefined) algorithm.take(algorithm.next, 'its parameters');
  algorithm.end();
}

function checkExtensions(body: Parts): void {
  const holder = new Parts(body.take(TAG.extensions, 'the extensions'), 'the extensions');
  const extensions = new Parts(holder.take(TAG.sequence, 'the extensions'), 'the extensions');
  holder.end();
  while (extensions.next !== undefined) {
    const extension = new Parts(extensions.take(TAG.sequence, 'an extension'), 'an extension');
    extension.take(TAG.objectIdentifier, 'its name');
    if (extension.next === TAG.boolean) extension.take(TAG.boolean, 'whether it is critical');
    extension.take(TAG.octetString, 'its value');
    extension.end();
  }
}

/**
 * Types of text and of other values whose content is checked: NumericString, PrintableString, T61String, IA5String, BIT
 * STRING, SEQUENCE.
 */
const NAMING = new Set([0x12, 0x13, 0x14, 0x16, TAG.utf8, TAG.universal, TAG.bmp, TAG.bitString, TAG.sequence]);

function checkName(holder: Parts, what: string): void {
  const name = new Parts(holder.take(TAG.sequence, what), what);
  while (name.next !== undefined) {
    const set = new Parts(name.take(TAG.set, `a part of ${what}`), what);
    while (set.next !== undefined) {
      const attribute = new Parts(set.take(TAG.sequence, `an attribute of ${what}`), what);
      attribute.take(TAG.objectIdentifier, `an attribute's name of ${what}`);
      const { next } = attribute;
      if (next === undefined || !NAMING.has(next)) throw new RangeError(`an attribute of ${what} has no text`);
      if (!isText(next, attribute.take(next, 'its text'))) throw new RangeError(`a text of ${what} is none`);
      attribute.end();
    }
  }
}

/** OpenSSL converts each text to UTF-8 for comparison, and rejects text that cannot be converted. */
function isText(tag: number, content: Buffer): boolean {
  const size = tag === TAG.universal ? 4 : tag === TAG.bmp ? 2 : 0;
  if (size === 0) return tag !== TAG.utf8 || isUtf8(content);
  for (let at = 0; at < content.length; at += size) {
    const point = size === 4 ? content.readUInt32BE(at) : content[at]! * 256 + content[at + 1]!;
    if (point > 0x10_ffff || (point >= 0xd800 && point < 0xe000)) return false;
  }
  return true;
}
