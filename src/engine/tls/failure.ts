/** The TLS library's failures as Node's errors, by whose codes the rest of kolla-pod explains them. */
import { systemError } from '../runtime/errors.ts';
import type { PeerCertificate } from '../x509/peer.ts';
import { isIP } from '../net/address.ts';

/** What sys.tlsFailure() returns. */
export type Failure = readonly [
  status: number,
  library: number,
  reason: number,
  verdict: number,
  errno: number,
  reasonName: string,
  verdictText: string,
];

/** Numbers of the library: openssl/err.h, openssl/ssl.h, openssl/x509.h. */
const LIBRARY_SSL = 16;
const [STATUS_SYSCALL, STATUS_CLOSED] = [5, 6];
const [VERIFY_FAILED, UNEXPECTED_END, HANDSHAKE_REFUSED] = [125, 509, 1040];
const NAME_VERDICTS = new Set([62, 64]);
const NO_ISSUER = 20;

/** Verdicts on a chain, by Node's codes. */
const VERDICTS: Readonly<Record<number, string>> = {
  2: 'UNABLE_TO_GET_ISSUER_CERT',
  7: 'CERT_SIGNATURE_FAILURE',
  9: 'CERT_NOT_YET_VALID',
  10: 'CERT_HAS_EXPIRED',
  18: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  19: 'SELF_SIGNED_CERT_IN_CHAIN',
  20: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  21: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  22: 'CERT_CHAIN_TOO_LONG',
  24: 'INVALID_CA',
  25: 'PATH_LENGTH_EXCEEDED',
  26: 'INVALID_PURPOSE',
  27: 'CERT_UNTRUSTED',
  28: 'CERT_REJECTED',
};

/** OpenSSL's text of the verdict that the library finds in two places. */
const PURPOSE = { code: 'INVALID_PURPOSE', text: 'unsuitable certificate purpose' };
/** OpenSSL's texts where the library has others. */
const TEXTS: Readonly<Record<string, string>> = {
  [PURPOSE.code]: PURPOSE.text,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
};
const WRONG_USAGE = 'KEY_USAGE_BIT_INCORRECT';

/** The library's names where OpenSSL has another. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^SSLV3_ALERT_/, 'SSL/TLS_ALERT_'],
  [/^TLSV1_ALERT_CERTIFICATE_REQUIRED$/, 'TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  [/^HTTPS?_(?:PROXY_)?REQUEST$/, 'WRONG_VERSION_NUMBER'],
];

/** A verdict's code. @param sent number of certificates that the server has sent */
export function verdictCode(verdict: number, sent: number): string {
  // Node has an own code for a certificate that comes without any other.
  if (verdict === NO_ISSUER && sent === 1) return 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  return VERDICTS[verdict] ?? 'UNSPECIFIED';
}

/**
 * The error of a failed call.
 * @param name the expected name
 * @param chain the certificates that the server has sent, its own first
 * @returns undefined if the peer has closed the connection without saying so
 */
export function failureOf(failure: Failure, name: string, chain: readonly PeerCertificate[]): Error | undefined {
  const [status, library, reason, verdict, errno, reasonName, verdictText] = failure;
  // If the library has failed by itself, the system's error is only that its alert was not taken.
  if (errno !== 0 && status === STATUS_SYSCALL) return systemError(-errno, 'read');
  const [own] = chain;
  if (library === LIBRARY_SSL && reason === VERIFY_FAILED) {
    if (own !== undefined && NAME_VERDICTS.has(verdict)) return nameError(name, own);
    const code = verdictCode(verdict, chain.length);
    return Object.assign(new Error(TEXTS[code] ?? verdictText), { code });
  }
  if (reasonName === WRONG_USAGE) return Object.assign(new Error(PURPOSE.text), { code: PURPOSE.code });
  const isEnd = status === STATUS_SYSCALL || status === STATUS_CLOSED;
  if (isEnd || (library === LIBRARY_SSL && reason === UNEXPECTED_END)) return undefined;
  const known = RENAMED.reduce((text, [from, to]) => text.replace(from, to), reasonName);
  const words = known.toLowerCase().replaceAll('_', ' ');
  return Object.assign(new Error(`TLS: ${words}`), {
    code: `ERR_SSL_${known}`,
    // Before the server has shown itself, it is about the ciphers.
    reason: reason === HANDSHAKE_REFUSED && own === undefined ? `${words}${REFUSED}` : words,
  });
}

const REFUSED = '; it may have only ciphers with CBC, DHE or RSA key exchange, which kolla-core has not';

/** Node's error for a certificate of another name. */
export function nameError(name: string, { subject, subjectaltname }: PeerCertificate): Error {
  const names = subjectaltname?.split(', ') ?? [];
  const addresses = names.filter((one) => one.startsWith('IP Address:')).map((one) => one.slice('IP Address:'.length));
  const hasName = names.some((one) => one.startsWith('DNS:'));
  const reason =
    isIP(name) !== 0
      ? `IP: ${name} is not in the cert's list: ${addresses.join(', ')}`
      : hasName
        ? `Host: ${name}. is not in the cert's altnames: ${subjectaltname}`
        : subject.CN === undefined
          ? 'Cert does not contain a DNS name'
          : `Host: ${name}. is not in the cert's altnames: it has none, only the common name ${subject.CN}`;
  const message = `Hostname/IP does not match certificate's altnames: ${reason}`;
  return Object.assign(new Error(message), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', reason, host: name });
}
