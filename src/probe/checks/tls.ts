import type { Question } from '../ask/verdict.ts';
import { UsageError, messageOf } from '../../core/errors.ts';
import { parseDuration } from '../../core/duration.ts';
import { ENCRYPTED_MEANING, tlsOption } from '../../cli/tls-option.ts';
import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { addressOf } from '../remote/server.ts';
import { CA_FILE_OPTION, CLIENT_OPTIONS, SERVER_NAME_OPTION, tlsOf } from '../remote/tls.ts';

const YEAR_MS = 365 * 86_400_000;

/** Checks that a certificate is valid and for how long, with a TLS handshake or in a file. */
export const tls = check({
  word: 'tls',
  summary: 'Checks that a certificate is valid, and for how long.',
  description:
    'Performs a TLS handshake with HOST:PORT: the chain must lead to a trusted CA, the name must match ' +
    '(--tls require skips both), and no certificate of the chain may expire within --expires-in. With ' +
    '--cert-file, each certificate in the file must remain valid for that long. STARTTLS is not supported.',
  operands: [{ name: 'HOST:PORT', help: 'address; IPv6 in brackets', optional: true }],
  options: [
    {
      flag: 'expires-in',
      type: 'string',
      env: 'KOLLA_PROBE_EXPIRES_IN',
      default: '0',
      help: 'minimum time until the certificate expires',
      example: '7d',
    },
    {
      flag: 'cert-file',
      type: 'path',
      env: 'KOLLA_PROBE_CERT_FILE',
      help: 'PEM file with certificates to check instead of a server',
      example: '/etc/kolla/certs/tls.crt',
    },
    {
      ...tlsOption('KOLLA_PROBE_TLS', 'verify'),
      values: ['verify', 'require'],
      help: 'TLS mode: verified or unverified (default: verify)',
      details: ENCRYPTED_MEANING,
    },
    CA_FILE_OPTION,
    SERVER_NAME_OPTION,
    ...CLIENT_OPTIONS,
  ],
  examples: [
    {
      line: 'kolla-probe tls api.example.org:443 --expires-in 7d',
      does: 'healthy if the certificate is trusted and valid for another week',
    },
    {
      line: 'kolla-probe tls --cert-file /etc/kolla/certs/tls.crt --expires-in 14d',
      does: 'healthy if all certificates in the file are valid for two more weeks',
    },
  ],
  prepare({ operands: [text], options }): Question {
    const { certFile } = options;
    const leftMs = durationOf(options.expiresIn);
    const verify = tlsOf('tls', options, 'verify') ?? {};
    if ((text === undefined) === (certFile === undefined)) {
      throw new UsageError('tls: give either HOST:PORT or --cert-file');
    }
    if (certFile !== undefined) {
      return {
        subject: `tls ${certFile}`,
        hosts: [],
        ask: async () => (await import('../remote/certificates.ts')).judgeFile(certFile, leftMs),
      };
    }
    const at = addressOf('tls', text ?? '');
    return {
      subject: `tls ${formatAddress(at)}`,
      hosts: [at.host],
      ask: async (signal, tell = () => {}) =>
        (await import('../remote/handshake.ts')).judgeServer({ at, verify, leftMs }, signal, tell),
    };
  },
});

function durationOf(text: string): number {
  try {
    return parseDuration(text, 10 * YEAR_MS);
  } catch (cause) {
    throw new UsageError(`tls: --expires-in: ${messageOf(cause)}`, { cause });
  }
}
