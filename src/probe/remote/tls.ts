import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import type { TlsAsk } from '../../net/tls-ask.ts';

/** TLS verification options of all checks that may use TLS. */
export const TRUST_OPTIONS = [
  {
    flag: 'ca-file',
    type: 'path',
    env: 'KOLLA_PROBE_CA_FILE',
    help: "CA bundle (default the image's)",
    example: '/etc/ssl/certs/ca-certificates.crt',
  },
  {
    flag: 'insecure',
    type: 'boolean',
    env: 'KOLLA_PROBE_INSECURE',
    help: "no verification of the server's certificate",
    example: 'true',
  },
] as const satisfies readonly Option[];

export const VERIFY_OPTIONS = [
  ...TRUST_OPTIONS,
  {
    flag: 'server-name',
    type: 'string',
    env: 'KOLLA_PROBE_SERVER_NAME',
    help: 'name in the certificate (default the host)',
    details: 'For a server that is addressed by its IP.',
    example: 'api.example.org',
  },
] as const satisfies readonly Option[];

export const TLS_OPTIONS = [
  {
    flag: 'tls',
    type: 'boolean',
    env: 'KOLLA_PROBE_TLS',
    help: 'TLS connection with a verified server',
    example: 'true',
  },
  ...VERIFY_OPTIONS,
] as const satisfies readonly Option[];

type Verify = Omit<Values<typeof VERIFY_OPTIONS>, 'serverName'> & { readonly serverName?: string | undefined };

/**
 * How to verify the server, or undefined without --tls.
 * @throws UsageError for contradicting options, or options without effect
 */
export function tlsOf(word: string, { tls, ...verify }: Verify & { readonly tls: boolean }): TlsAsk | undefined {
  if (tls) return verifyOf(word, verify);
  const stray = [
    verify.caFile === undefined ? undefined : '--ca-file',
    verify.insecure ? '--insecure' : undefined,
    verify.serverName === undefined ? undefined : '--server-name',
  ].find((flag) => flag !== undefined);
  if (stray !== undefined) throw new UsageError(`${word}: ${stray} is given without --tls`);
  return undefined;
}

/**
 * @throws UsageError for contradicting options
 */
export function verifyOf(word: string, { caFile, insecure, serverName }: Verify): TlsAsk {
  if (insecure && caFile !== undefined) throw new UsageError(`${word}: --insecure asks to leave --ca-file unused`);
  return { caFile, insecure, serverName };
}
