/** Certificates with arbitrary subjects, including ones OpenSSL would not create, and how both parsers read them. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { Certificate } from '../../src/core/digest.ts';
import { readCertificate } from '../../src/engine/x509/certificate.ts';
import * as asn1 from '../cluster/der.ts';
import { randomFrom } from '../support/random.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = publicKey.export({ type: 'spki', format: 'der' });
const ALGORITHM = asn1.sequence(asn1.objectIdentifier('1.2.840.10045.4.3.2'));
const VERSION = asn1.der(0xa0, asn1.integer(Buffer.from([2])));
const VALIDITY = asn1.sequence(
  asn1.time(new Date('2026-01-01T00:00:00Z')),
  asn1.time(new Date('2036-01-01T00:00:00Z')),
);
const CRITICAL_CA = asn1.sequence(
  asn1.objectIdentifier('2.5.29.19'),
  asn1.boolean(true),
  asn1.octetString(asn1.sequence(asn1.boolean(true))),
);

/** Fields of a certificate in DER. A missing field gets an ordinary value. */
export interface Fields {
  readonly version?: Buffer;
  readonly serial?: Buffer;
  readonly algorithm?: Buffer;
  readonly issuer?: Buffer;
  readonly validity?: Buffer;
  readonly subject?: Buffer;
  readonly key?: Buffer;
  /** Unique IDs and extensions. */
  readonly rest?: Buffer;
  readonly signature?: Buffer;
  /** Bytes after the signature. */
  readonly more?: Buffer;
}

/** DER of an unsigned certificate: parsing does not check the signature. */
export function certificateOf(fields: Fields): Buffer {
  const {
    version = VERSION,
    serial = asn1.integer(Buffer.from([0x80, 1])),
    algorithm = ALGORITHM,
    issuer = nameOf([asn1.utf8String('Issuer')]),
    validity = VALIDITY,
    subject = issuer,
    key = KEY,
    rest = asn1.der(0xa3, asn1.sequence(CRITICAL_CA)),
    signature = asn1.bitString(Buffer.alloc(64, 0x5a)),
    more = Buffer.alloc(0),
  } = fields;
  const body = asn1.sequence(version, serial, algorithm, issuer, validity, subject, key, rest);
  return asn1.sequence(body, algorithm, signature, more);
}

const COMMON_NAME = '2.5.4.3';

/** A name with these texts as common names: one per RDN, or several in one RDN. */
export function nameOf(...parts: readonly (readonly Buffer[])[]): Buffer {
  return asn1.sequence(
    ...parts.map((texts) =>
      asn1.setOf(...texts.map((text) => asn1.sequence(asn1.objectIdentifier(COMMON_NAME), text))),
    ),
  );
}

export function pemOf(der: Buffer): string {
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`;
}

/** The certificate, or undefined if Node throws an error or our parser a RangeError. Other errors are rethrown. */
export function byNode(pem: string): Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

export function byOurs(pem: string): Certificate | undefined {
  try {
    return readCertificate(pem);
  } catch (error) {
    if (error instanceof RangeError && error.message !== '') return undefined;
    throw error;
  }
}

/** Asserts that our parser rejects this PEM or agrees with Node. Returns our result. */
export function assertRefusedOrSame(pem: string): Certificate | undefined {
  const ours = byOurs(pem);
  if (ours === undefined) return undefined;
  const nodes = byNode(pem);
  assert.ok(nodes, `Node rejects this certificate, our parser does not:\n${pem}`);
  assert.ok(ours.raw.equals(nodes.raw) && ours.toString() === nodes.toString(), `parsed differently:\n${pem}`);
  return ours;
}

/** Variants in which one byte is changed. Half of the changes are near the start, where lengths and names are. */
export function* damaged(der: Buffer, times: number, seed: number): Generator<Buffer> {
  const HEAD_BYTES = 400;
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let i = 0; i < times; i++) {
    const copy = Buffer.from(der);
    const at = below(i % 2 === 0 ? der.length : Math.min(HEAD_BYTES, der.length));
    copy[at] = copy[at]! ^ (1 + below(255));
    yield copy;
  }
}
