/**
 * The name that OpenSSL looks an issuer up by in a directory: SHA-1 of the subject in its canonical form, the first four bytes
 * as a little-endian number. Canonical: every text is UTF-8 in lower-case ASCII letters, without spaces at its ends, one
 * for several within; the rest is as encoded; the outer SEQUENCE's own header is left out (X509_NAME_hash_ex).
 */
import { encode, valuesOf, type Value } from '../../core/der.ts';
import { sha1, type Certificate } from '../../core/digest.ts';

/** `3513523f` of a certificate. Throws RangeError for one whose DER is no certificate's. */
export function subjectHash(certificate: Certificate): string {
  const digest = sha1(canonical(subjectOf(certificate.raw)));
  return digest.readUInt32LE(0).toString(16).padStart(8, '0');
}

const SEQUENCE = 0x30;
const SET = 0x31;
const UTF8 = 0x0c;
const VERSION = 0xa0;

/** What is made of each text type; others are no text to OpenSSL here. */
const DECODE: Readonly<Record<number, (bytes: Buffer) => string>> = {
  [UTF8]: (bytes) => bytes.toString('utf8'),
  0x13: (bytes) => bytes.toString('latin1'), // PrintableString
  0x14: (bytes) => bytes.toString('latin1'), // T61String, which is read as Latin-1
  0x16: (bytes) => bytes.toString('latin1'), // IA5String
  0x1a: (bytes) => bytes.toString('latin1'), // VisibleString
  0x1c: universal,
  0x1e: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'), // BMPString
};

/** Certificate > tbsCertificate > [version] serial signature issuer validity subject. */
function subjectOf(der: Buffer): Value {
  const [certificate] = valuesOf(der);
  const [body] = valuesOf(certificate?.content ?? Buffer.alloc(0));
  const fields = valuesOf(body?.content ?? Buffer.alloc(0)).filter(({ tag }) => tag !== VERSION);
  const subject = fields[4];
  if (subject?.tag !== SEQUENCE) throw new RangeError('no subject where a certificate has it');
  return subject;
}

/** A part without attributes is not there. */
function canonical(name: Value): Buffer {
  const parts = valuesOf(name.content).filter(({ content }) => content.length > 0);
  return Buffer.concat(parts.map(({ content }) => encode(SET, sorted(valuesOf(content).map(attribute)))));
}

function attribute({ content }: Value): Buffer {
  const [type, value] = valuesOf(content);
  if (type === undefined || value === undefined) throw new RangeError('an attribute of the subject lacks its value');
  const text = DECODE[value.tag]?.(value.content);
  const simplified = text === undefined ? value.whole : encode(UTF8, Buffer.from(simplify(text)));
  return encode(SEQUENCE, Buffer.concat([type.whole, simplified]));
}

function simplify(text: string): string {
  return text
    .replaceAll(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
    .replaceAll(/[ \t\n\v\f\r]+/g, ' ')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A SET OF stands in the order of its encodings, and they are others now. */
function sorted(encodings: Buffer[]): Buffer {
  return Buffer.concat(encodings.toSorted((a, b) => Buffer.compare(a, b)));
}

function universal(bytes: Buffer): string {
  const points = Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32BE(i * 4));
  return String.fromCodePoint(...points);
}
