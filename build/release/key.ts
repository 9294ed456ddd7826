import { createPrivateKey, createPublicKey, scryptSync, sign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import * as v from 'valibot';
import { ConfigError, messageOf } from '../../src/core/errors.ts';
import { sha256 } from '../digest.ts';

/** A private key that signs as cosign does: ECDSA on P-256 with SHA-256. */
export interface Signer {
  /** The public key in PEM. */
  readonly publicKey: string;
  /** The signature in DER, as base64. */
  sign(content: Uint8Array | string): string;
}

/** What `cosign generate-key-pair` writes, inside PEM and base64. */
const EncryptedKey = v.object({
  kdf: v.object({
    name: v.literal('scrypt'),
    params: v.object({ N: v.number(), r: v.number(), p: v.number() }),
    salt: v.string(),
  }),
  cipher: v.object({ name: v.literal('nacl/secretbox'), nonce: v.string() }),
  ciphertext: v.string(),
});

const ENCRYPTED = /-----BEGIN ENCRYPTED (?:SIGSTORE|COSIGN) PRIVATE KEY-----(?<body>[^-]+)-----END/;
const KEY_BYTES = 32;
const SCRYPT_MAX_BYTES = 2 ** 28;

/**
 * Reads a key file: one of `cosign generate-key-pair`, or an unencrypted PEM as `openssl ecparam -genkey` prints.
 * @param password for a key file of `cosign generate-key-pair`
 * @throws ConfigError if the file is missing, is no such key, or the password is wrong
 */
export async function readSigner(file: string, password: string): Promise<Signer> {
  const pem = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`--key ${file}: ${messageOf(cause)}`, { cause });
  });
  const key = privateKey(file, pem, password);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new ConfigError(`--key ${file}: not an ECDSA key on the curve P-256, which cosign requires`);
  return {
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (content) => sign('sha256', Buffer.from(content), key).toString('base64'),
  };
}

/** SHA-256 of a public key in DER, as `openssl pkey -pubin -outform DER | sha256sum` prints. */
export function fingerprintOf(publicKey: string): string {
  return sha256(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }));
}

function privateKey(file: string, pem: string, password: string): KeyObject {
  const body = ENCRYPTED.exec(pem)?.groups?.['body'];
  try {
    return body === undefined
      ? createPrivateKey(pem)
      : createPrivateKey({ key: decrypted(body, password), format: 'der', type: 'pkcs8' });
  } catch (cause) {
    const why = body === undefined ? 'not a private key in PEM' : 'wrong COSIGN_PASSWORD, or a damaged file';
    throw new ConfigError(`--key ${file}: ${why}: ${messageOf(cause)}`, { cause });
  }
}

function decrypted(body: string, password: string): Buffer {
  const { kdf, cipher, ciphertext } = v.parse(EncryptedKey, JSON.parse(Buffer.from(body, 'base64').toString()));
  const options = { ...kdf.params, maxmem: SCRYPT_MAX_BYTES };
  const key = scryptSync(password, Buffer.from(kdf.salt, 'base64'), KEY_BYTES, options);
  const nonce = Buffer.from(cipher.nonce, 'base64');
  return Buffer.from(xsalsa20poly1305(key, nonce).decrypt(Buffer.from(ciphertext, 'base64')));
}
