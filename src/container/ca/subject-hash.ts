/**
 * OpenSSL's name for looking up an issuer in a directory: the first four bytes of the SHA-1 of the canonical subject as
 * a little-endian number. Canonical: every text is UTF-8 with ASCII letters in lower case, without leading and trailing
 * spaces, with runs of spaces collapsed; the rest is as encoded; the header of the outer SEQUENCE is omitted
 * (X509_NAME_hash_ex).
 */
import { encode, valuesOf, type Value } from '../../core/der.ts';
import { sha1, type Certificate } from '#digest';

/** `3513523f` for a certificate. Throws RangeError if its DER is invalid. */
export function subjectHash(certificate: Certificate): string {
  const digest = sha1(canonical(subjectOf(certificate.raw)));
  return digest.readUInt32LE(0).toString(16).padStart(8, '0');
}

const SEQUENCE = 0x30;
const SET = 0x31;
const UTF8 = 0x0c;
const VERSION = 0xa0;

/** Decoders of the text types. OpenSSL treats other types here as binary. */
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

/** Parts without attributes are omitted. */
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

/** A SET OF is sorted by its encodings, which have changed. */
function sorted(encodings: Buffer[]): Buffer {
  return Buffer.concat(encodings.toSorted((a, b) => Buffer.compare(a, b)));
}

function universal(bytes: Buffer): string {
  const points = Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32BE(i * 4));
  return String.fromCodePoint(...points);
}
