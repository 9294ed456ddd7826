import { NotPermittedError, UnavailableError, type KollaError } from '../core/errors.ts';
import { placeOfTarget, type MysqlTarget } from './url.ts';

interface HandshakeError {
  readonly code?: string;
  readonly message: string;
  /** What the TLS library has found, without its place in the library. */
  readonly reason?: string;
  /** Set on system errors, which mean that the connection broke. */
  readonly syscall?: string;
}

/** mysql2's code for every error during a TLS handshake, including system errors, and that of a server without TLS. */
export const [HANDSHAKE_FAILED, NO_TLS] = ['HANDSHAKE_SSL_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT'];
const BROKEN_OFF = /disconnected before secure|ECONNRESET|EPIPE|socket hang up/;
const NAME = /does not match certificate's altnames: (.*)$/s;
/** Node's advice about its own options, which a helper does not take. */
const ADVICE = /; if the root CA is installed locally.*$/s;
const OWN = /^self[- ]signed certificate$/;

/**
 * Explains a TLS handshake failure, with the file and the fix. Such failures are never transient. Undefined if TLS is
 * not the cause, or only the connection broke.
 */
export function tlsError(error: unknown, target: MysqlTarget): KollaError | undefined {
  const { code = '' } = error as HandshakeError;
  const where = placeOfTarget(target);
  const options = { cause: error };
  if (code === NO_TLS) {
    const fix = 'enable it there, or remove ssl_* from the URL and --tls from the command';
    return new UnavailableError(`the server at ${where} does not support TLS, which is required: ${fix}`, options);
  }
  if (isBrokenOff(error)) return undefined;
  if (code === HANDSHAKE_FAILED)
    return new UnavailableError(whyDistrusted(error as HandshakeError, where, target), options);
  // With TLS 1.3, the server verifies our certificate after our part of the handshake has ended.
  if (!/^ERR_SSL_\w*ALERT/.test(code)) return undefined;
  const alert = (error as HandshakeError).reason?.replace(/^\S+ alert /, '') ?? code;
  const { certFile } = target.tls ?? {};
  return certFile === undefined
    ? new UnavailableError(`the server at ${where} ended TLS: ${alert}`, options)
    : new NotPermittedError(
        `the server at ${where} rejects the client certificate in ${certFile}: ${alert}; its CA must be ` +
          "in the server's ssl_ca, and it must not be expired",
        options,
      );
}

/** A connection that ended before the server's response, with mysql2's code. */
export function lost(cause?: unknown): Error {
  return Object.assign(new Error('the connection is lost', { cause }), { code: 'PROTOCOL_CONNECTION_LOST' });
}

/** Whether the connection broke during the TLS handshake, for example because the server is shutting down. */
export function isBrokenOff(error: unknown): boolean {
  const { code, message, syscall } = error as HandshakeError;
  return code === HANDSHAKE_FAILED && (syscall !== undefined || BROKEN_OFF.test(message));
}

function whyDistrusted({ message: whole, reason }: HandshakeError, where: string, { tls }: MysqlTarget): string {
  const message = whole.replace(ADVICE, '');
  const server = `the certificate of the server at ${where}`;
  const [, names] = NAME.exec(message) ?? [];
  if (names !== undefined) {
    return (
      `${server} is not for that name: ${names.trim()}. Use a name that is in it, or have one issued with this name; ` +
      'ssl_check_hostname=false in the URL trusts any name that the CA has signed'
    );
  }
  if (/expired/.test(message)) return `${server} has expired: renew it, and let the server load it`;
  if (/not yet valid/.test(message)) return `${server} is not valid yet: check the clocks of both machines`;
  if (OWN.test(message)) {
    return (
      `${server} is one it made itself, as MariaDB 11.4 and later do at each start if none is configured: configure ` +
      'ssl_cert and ssl_key there, or only encrypt (--tls require, or ssl_verify_cert=false in the URL). If it is ' +
      'configured, put it into the CA bundle'
    );
  }
  const [whom, fix] =
    tls?.caFile === undefined
      ? ["a CA of this image's CA bundle", 'name the CA that signed it by --ca-file']
      : [`the CA in ${tls.caFile}`, 'put the CA that signed it there'];
  if (/self[- ]signed|unable to (?:get|verify)|certificate signature/.test(message)) {
    return `${server} is not signed by ${whom} (${message}): ${fix}`;
  }
  return `TLS with the server at ${where} failed: ${reason ?? message}`;
}
