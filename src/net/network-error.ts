import { messageOf } from '../core/errors.ts';
import { oneLine } from '../core/one-line.ts';

/** What the system's codes mean to who runs a service. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side broke the connection off',
  EPIPE: 'the other side broke the connection off',
  ETIMEDOUT: 'no answer; it may be gone, or a firewall drops what we send',
  EHOSTUNREACH: 'no machine there, or no way to it',
  ENETUNREACH: 'no way to that network from here',
  ENOTFOUND: 'no such host name',
  EAI_AGAIN: 'no name server answers',
  ENOENT: 'there is no such socket or file',
  EACCES: 'we may not use it',
};

/** What is wrong with a chain of certificates, by OpenSSL's codes. */
const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

const OTHER_PROTOCOL = /wrong version number|packet length too long|unexpected message|http request|unknown protocol/i;

/**
 * Why there is no connection, or none that can be trusted, in one line: the system's code first, where there is one.
 * @param caFile of the authorities that were to be trusted, for messages
 */
export function networkReason(error: unknown, caFile?: string): string {
  const { code: any, reason } = error as { code?: unknown; reason?: string };
  // Of an AbortSignal's reason it is a number.
  const code = typeof any === 'string' ? any : '';
  const meaning = MEANINGS[code];
  if (meaning !== undefined) return `${code}: ${meaning}`;
  const text = messageOf(error);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    if (OTHER_PROTOCOL.test(text)) return 'what answers there does not speak TLS';
    return `TLS failed: ${oneLine(reason ?? /:SSL routines:[^:]*:([^:]*):/.exec(text)?.[1] ?? text)}`;
  }
  if (error instanceof Error && isUntrusted(error)) {
    const whom =
      caFile === undefined
        ? 'an authority that this image trusts; --ca-file names another'
        : `the authorities in ${caFile}`;
    return `its certificate is not signed by ${whom} (${code})`;
  }
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate, or one that it is signed by, has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet: see the clocks of both machines';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name: ${oneLine(reason ?? text)}`;
  return oneLine(text);
}

/** Whether a connection failed because nobody whom we trust has signed the other side's certificate. */
export function isUntrusted({ code }: NodeJS.ErrnoException): boolean {
  return code !== undefined && UNKNOWN_AUTHORITY.has(code);
}
