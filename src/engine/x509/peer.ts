/** What users and checks are told of a certificate: its subject, names and dates. Whether it is trusted is the library's. */
import { valuesOf } from '../../core/der.ts';
import { readCertificate } from './certificate.ts';
import { addressText } from '../net/address.ts';
import { Parts, TAG } from './der-parts.ts';

/** A certificate, with the properties that Node's have. */
export interface PeerCertificate {
  readonly subject: { readonly CN?: string };
  /** `DNS:a.example.org, IP Address:10.0.0.1`; undefined without any. */
  readonly subjectaltname: string | undefined;
  /** Text for Date.parse(). */
  readonly valid_from: string;
  readonly valid_to: string;
  /** In DER. */
  readonly raw: Buffer;
  issuerCertificate?: PeerCertificate;
}

/** The certificate in a PEM block, for checks of files. */
export class X509Certificate {
  /** One attribute a line: `CN=a.example.org`. */
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo: string;

  /** @throws RangeError with the problem */
  constructor(pem: string) {
    const { subject, from, to } = partsOf(readCertificate(pem).raw);
    this.subject = subject.map(({ name, text }) => `${name}=${text}`).join('\n');
    this.validFrom = from;
    this.validTo = to;
  }
}

/** @throws RangeError for bytes that are no certificate */
export function certificateOf(raw: Buffer): PeerCertificate {
  const { subject, from, to, names } = partsOf(raw);
  const common = subject.findLast(({ name }) => name === 'CN');
  return {
    subject: common === undefined ? {} : { CN: common.text },
    subjectaltname: names,
    valid_from: from,
    valid_to: to,
    raw,
  };
}

/** Attributes of names, by the bytes of their identifiers: those of RFC 4519 and 5280 that OpenSSL abbreviates. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  '550403': 'CN',
  '550405': 'serialNumber',
  '550406': 'C',
  '550407': 'L',
  '550408': 'ST',
  '55040a': 'O',
  '55040b': 'OU',
  '2a864886f70d010901': 'emailAddress',
  '0992268993f22c640119': 'DC',
  '0992268993f22c640101': 'UID',
};
const SUBJECT_NAMES = '551d11';

interface Attribute {
  readonly name: string;
  readonly text: string;
}

function partsOf(raw: Buffer) {
  const [certificate] = valuesOf(raw);
  if (certificate === undefined) throw new RangeError('no certificate');
  const body = new Parts(new Parts(certificate.content, 'the certificate').take(TAG.sequence, 'its body'), 'its body');
  if (body.next === TAG.version) body.take(TAG.version, 'the version');
  body.take(TAG.integer, 'the serial number');
  body.take(TAG.sequence, 'the algorithm');
  body.take(TAG.sequence, 'the issuer');
  const [from, to] = valuesOf(body.take(TAG.sequence, 'the validity')).map(({ content }) =>
    dateOf(content.toString('latin1')),
  );
  const subject = attributesOf(body.take(TAG.sequence, 'the subject'));
  body.take(TAG.sequence, 'the public key');
  for (const id of [TAG.issuerId, TAG.subjectId]) if (body.next === id) body.take(id, 'an id');
  const names = body.next === TAG.extensions ? namesOf(body.take(TAG.extensions, 'the extensions')) : undefined;
  return { subject, from: from ?? '', to: to ?? '', names };
}

function attributesOf(name: Buffer): Attribute[] {
  return valuesOf(name).flatMap((set) =>
    valuesOf(set.content).map((attribute) => {
      const [id, value] = valuesOf(attribute.content);
      const hex = id?.content.toString('hex') ?? '';
      return { name: ATTRIBUTES[hex] ?? hex, text: textOf(value?.tag, value?.content ?? Buffer.alloc(0)) };
    }),
  );
}

function textOf(tag: number | undefined, content: Buffer): string {
  if (tag === TAG.bmp) return Buffer.from(content).swap16().toString('utf16le');
  return content.toString(tag === TAG.utf8 ? 'utf8' : 'latin1');
}

/** `yymmddhhmmssZ` or `yyyymmddhhmmssZ` in ISO 8601. Two digits of a year stand for 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
function dateOf(text: string): string {
  const [, year = '', month, day, hour, minute, second] =
    /^(\d{2}(?:\d{2})?)(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text) ?? [];
  const full = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`;
  return `${full}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

function namesOf(extensions: Buffer): string | undefined {
  for (const extension of valuesOf(extensions).flatMap(({ content }) => valuesOf(content))) {
    const parts = valuesOf(extension.content);
    if (parts[0]?.content.toString('hex') !== SUBJECT_NAMES) continue;
    const names = valuesOf(parts.at(-1)!.content).flatMap(({ content }) => valuesOf(content));
    return names.map(({ tag, content }) => `${KINDS[tag] ?? 'othername:'}${nameText(tag, content)}`).join(', ');
  }
  return undefined;
}

const ADDRESS = 0x87;
const KINDS: Readonly<Record<number, string>> = {
  0x81: 'email:',
  0x82: 'DNS:',
  0x86: 'URI:',
  [ADDRESS]: 'IP Address:',
};

function nameText(tag: number, content: Buffer): string {
  if (tag === ADDRESS) return [4, 16].includes(content.length) ? addressText(content) : '<invalid>';
  return KINDS[tag] === undefined ? '<unsupported>' : content.toString('latin1');
}
