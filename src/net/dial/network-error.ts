import { codeOf, messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import { connectReason } from './connect-error.ts';
import { TlsAlertError } from './tls-alert.ts';

/** Problems of a certificate chain, by OpenSSL's codes. */
const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/** The beginning of the message of an error for a connection that ends before a response. */
export const CLOSED = 'closed without a response';

const OTHER_PROTOCOL = /wrong version number|packet length too long|unexpected message|http request|unknown protocol/i;

/** What servers say to a client without a certificate, which TLS 1.3 alone has an alert for. */
const MAY_WANT_CERTIFICATE = /alert (?:handshake failure|certificate required)$/;

/**
 * One-line reason for a failed or untrusted connection.
 * @param caFile the CA bundle that was used, for messages
 */
export function networkReason(error: unknown, caFile?: string): string {
  const { code: any, reason } = error as { code?: unknown; reason?: string };
  // The code of an AbortSignal's reason is a number.
  const code = typeof any === 'string' ? any : '';
  const refused = connectReason(error);
  if (refused !== undefined) return refused;
  const text = messageOf(error);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    if (OTHER_PROTOCOL.test(text)) return 'the server does not speak TLS';
    const why = oneLine(reason ?? /:SSL routines:[^:]*:([^:]*):/.exec(text)?.[1] ?? text);
    return `TLS failed: ${why}${MAY_WANT_CERTIFICATE.test(why) ? '; it may require a client certificate' : ''}`;
  }
  if (error instanceof Error && isUntrusted(error)) {
    const whom = caFile === undefined ? "a CA of this image's CA bundle; --ca-file names another" : `a CA in ${caFile}`;
    return `its certificate is not signed by ${whom} (${code})`;
  }
  if (code === 'CERT_HAS_EXPIRED')
    return 'its certificate or one of its CAs has expired: renew it, and have the server load it';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet: check the clocks of both machines';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for another name: ${oneLine(reason ?? text)}; use a name that is in it, or have it issued for this one`;
  }
  return oneLine(text);
}

/**
 * The same for a connection without TLS. A server that requires TLS sends an alert, or only closes the connection.
 * @param advice how to use TLS instead: `use https://`
 */
export function plainReason(error: unknown, advice: string): string {
  const reason = networkReason(error);
  if (error instanceof TlsAlertError) return `${reason}: ${advice}`;
  const code = codeOf(error);
  const message = messageOf(error);
  // Not if it breaks off within its response, which is 'aborted'.
  const isClosed = (code === 'ECONNRESET' && message !== 'aborted') || code === 'EPIPE' || message.startsWith(CLOSED);
  return isClosed ? `${reason}; if the server requires TLS, ${advice}` : reason;
}

/** Whether a connection failed because no trusted CA signed the server's certificate. */
export function isUntrusted({ code }: NodeJS.ErrnoException): boolean {
  return code !== undefined && UNKNOWN_AUTHORITY.has(code);
}

/** Whether a connection failed because of the server's certificate: its CA, its name, or its dates. */
export function isCertificateError(error: NodeJS.ErrnoException): boolean {
  return (
    isUntrusted(error) || /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$|^ERR_TLS_CERT_ALTNAME_INVALID$/.test(error.code ?? '')
  );
}
