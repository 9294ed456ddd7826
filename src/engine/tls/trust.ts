/**
 * Contexts of the TLS library: protocol versions and sizes, the CAs that a server's certificate must come from, and our
 * own certificate. Parsing an image's CAs takes milliseconds, so a context is shared by connections with the same ones.
 */
import { codeOf, ConfigError } from '../../core/errors.ts';
import { readFileSync } from 'node:fs';
import { done } from '../runtime/errors.ts';

/** TLS 1.2, as on the wire. */
const LEAST_VERSION = 0x0303;
/** Of TLS 1.2: forward secrecy and authenticated encryption. The suites of TLS 1.3 are all allowed. */
const CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20';
const GROUPS = 'X25519:P-256:P-384:P-521';
/** In the order of preference. The library by itself leaves Ed25519 out. */
const SIGNATURES = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'ed25519',
  ...['rsa_pss_rsae', 'rsa_pkcs1'].flatMap((kind) => ['sha256', 'sha384', 'sha512'].map((hash) => `${kind}_${hash}`)),
].join(':');
/** As OpenSSL's security level 2, the default of distributions and of Node. */
const RSA_LEAST_BITS = 2048;
const REFUSED_DIGESTS = ['MD5', 'MD5-SHA1', 'SHA1'];
/** Of a chain, in all; a certificate has one or two thousand. */
const CHAIN_MAX_BYTES = 65_536;

/** The files with all CAs of an image: Debian and Ubuntu, Rocky. */
const SYSTEM = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem'];

/** PEM texts. */
export interface Identity {
  /** The trusted CAs; without them, the image's. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** More are in use in no process: one for each pair of CAs and login. */
const CONTEXTS = 4;
const contexts: (Identity & { readonly ca: string; readonly handle: number })[] = [];

/**
 * The context of these texts, for sys.tlsOpen(). Later calls with the same texts return the same one.
 * @param isVerified whether CAs are needed at all
 * @throws ConfigError for a text that is not what it should be; an Error if the image has no CAs
 */
export function contextFor({ ca, cert, key }: Identity, isVerified: boolean): number {
  const trusted = ca ?? (isVerified ? systemAuthorities() : '');
  const known = contexts.find((one) => one.ca === trusted && one.cert === cert && one.key === key);
  if (known !== undefined) return known.handle;
  const handle = newContext();
  try {
    if (trusted !== '') trust(handle, trusted);
    if (cert !== undefined && key !== undefined) logIn(handle, cert, key);
  } catch (error) {
    sys.tlsForget(handle);
    throw error;
  }
  // Open connections keep what they need of a context.
  if (contexts.length === CONTEXTS) sys.tlsForget(contexts.shift()!.handle);
  contexts.push({ ca: trusted, cert, key, handle });
  return handle;
}

function newContext(): number {
  return done(
    sys.tlsContext(LEAST_VERSION, CIPHERS, GROUPS, SIGNATURES, RSA_LEAST_BITS, REFUSED_DIGESTS, CHAIN_MAX_BYTES),
    'tlsContext',
  );
}

/** Read each time: a running Pod's CAs may be renewed. */
function systemAuthorities(): string {
  for (const file of SYSTEM) {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  throw new ConfigError(`this image has no CA bundle: none of ${SYSTEM.join(', ')}; name one by --ca-file`);
}

function trust(context: number, text: string): void {
  const count = sys.tlsTrust(context, Buffer.from(text));
  if (count > 0) return;
  throw new ConfigError(
    count === 0 ? 'the CA bundle contains no PEM certificate' : 'the CA bundle contains an invalid certificate',
  );
}

const LOGIN_PROBLEMS = [
  '',
  'certificate is invalid',
  'key is invalid, or has a password',
  "key is another certificate's",
];

/** What sys.tlsIdentity() says of a text that is no key, or one with a password. */
const NO_KEY = 2;

function logIn(context: number, cert: string, key: string): void {
  const problem = problemOf(context, cert, key);
  if (problem !== 0) throw new ConfigError(`the client's ${LOGIN_PROBLEMS[problem]}`);
}

function problemOf(context: number, cert: string, key: string): number {
  const secret = Buffer.from(key);
  const problem = sys.tlsIdentity(context, Buffer.from(cert), secret);
  secret.fill(0);
  return problem;
}

/** A key as it is in its file. */
export interface PrivateKey {
  readonly pem: string;
}

/** Whether it is the certificate's key. @throws RangeError if it is none */
export function isKeyOf(cert: string, { pem }: PrivateKey): boolean {
  const context = newContext();
  try {
    const problem = problemOf(context, cert, pem);
    if (problem === NO_KEY) throw new RangeError('no key');
    return problem === 0;
  } finally {
    sys.tlsForget(context);
  }
}
