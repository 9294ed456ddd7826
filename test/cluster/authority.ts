import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { bytesOf } from '../../src/engine/net/address.ts';
import * as asn1 from './der.ts';

/** A certificate and its key, in PEM. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  /** In Kubernetes these are the user's groups. */
  readonly organizations?: readonly string[];
  /** The DNS names and IPv4 addresses of a server. */
  readonly hosts?: readonly string[];
  /** Also permits key encipherment, which libvirt demands of every certificate. */
  readonly keyEncipherment?: true;
  /** Expiry; the default is in two and a half days. A time in the past makes it expired. */
  readonly validUntil?: Date;
}

/** A CA for the servers and clients of one test. */
export interface Authority extends Credentials {
  /** Issues a certificate that is valid for both server and client. */
  issue(subject: Subject): Credentials;
}

/** Half a day after a full one: the remaining time, as messages say it, is the same all through a test. */
const VALID_MS = 2.5 * 86_400_000;
/** How long before now certificates start to be valid, so that rounding to seconds does not matter. */
const EARLIER_MS = 3_600_000;

const ECDSA_WITH_SHA256 = asn1.sequence(asn1.objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** Creates a CA with a new P-256 key; its certificates are valid for two days. */
export function makeAuthority(commonName: string): Authority {
  const keys = newKeys();
  const issuer = { name: nameOf({ commonName }), keys };
  const certSignAndCrlSign = asn1.bitString(Buffer.from([0b0000_0110]), 1);
  const certificate = certify(issuer, { commonName }, keys.publicKey, [
    extension('2.5.29.19', true, asn1.sequence(asn1.boolean(true))),
    extension('2.5.29.15', true, certSignAndCrlSign),
  ]);
  const digitalSignature = asn1.bitString(Buffer.from([0b1000_0000]), 7);
  const andKeyEncipherment = asn1.bitString(Buffer.from([0b1010_0000]), 5);
  return {
    certificate,
    key: pemOf(keys.privateKey),
    issue: (subject) => {
      const own = newKeys();
      const extensions = [
        extension('2.5.29.15', true, subject.keyEncipherment ? andKeyEncipherment : digitalSignature),
        extension('2.5.29.37', false, asn1.sequence(...[SERVER_AUTH, CLIENT_AUTH].map(asn1.objectIdentifier))),
      ];
      const hosts = subject.hosts ?? [];
      if (hosts.length > 0)
        extensions.push(extension('2.5.29.17', false, asn1.sequence(...hosts.map(alternativeName))));
      return { certificate: certify(issuer, subject, own.publicKey, extensions), key: pemOf(own.privateKey) };
    },
  };
}

/** A separate key pair in PEM, for signing and verifying ServiceAccount tokens. */
export function makeKeyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = newKeys();
  return { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey: pemOf(privateKey) };
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function certify(
  issuer: { name: asn1.Der; keys: Keys },
  subject: Subject,
  publicKey: KeyObject,
  extensions: readonly asn1.Der[],
): string {
  const now = Date.now();
  const identifiers = [
    extension('2.5.29.14', false, asn1.octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', false, asn1.sequence(asn1.der(0x80, keyIdentifier(issuer.keys.publicKey)))),
  ];
  const toBeSigned = asn1.sequence(
    asn1.der(0xa0, asn1.integer(Buffer.from([2]))), // version 3
    asn1.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    issuer.name,
    asn1.sequence(asn1.time(new Date(now - EARLIER_MS)), asn1.time(subject.validUntil ?? new Date(now + VALID_MS))),
    nameOf(subject),
    spkiOf(publicKey),
    asn1.der(0xa3, asn1.sequence(...extensions, ...identifiers)),
  );
  const signature = sign('sha256', toBeSigned, issuer.keys.privateKey);
  const certificate = asn1.sequence(toBeSigned, ECDSA_WITH_SHA256, asn1.bitString(signature));
  const lines = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function nameOf({ commonName, organizations = [] }: Subject): asn1.Der {
  const part = (identifier: string, text: string) =>
    asn1.setOf(asn1.sequence(asn1.objectIdentifier(identifier), asn1.utf8String(text)));
  return asn1.sequence(...organizations.map((text) => part(ORGANIZATION, text)), part(COMMON_NAME, commonName));
}

function alternativeName(host: string): asn1.Der {
  const family = isIP(host);
  if (family === 0) return asn1.der(0x82, Buffer.from(host));
  const socketAddress = bytesOf({ address: host, port: 0 });
  return asn1.der(0x87, Buffer.from(family === 4 ? socketAddress.subarray(4, 8) : socketAddress.subarray(8, 24)));
}

function extension(identifier: string, critical: boolean, value: asn1.Der): asn1.Der {
  const flag = critical ? [asn1.boolean(true)] : [];
  return asn1.sequence(asn1.objectIdentifier(identifier), ...flag, asn1.octetString(value));
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1').update(spkiOf(key)).digest();
}
