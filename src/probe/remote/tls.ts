import { UsageError } from '../../core/errors.ts';
import type { Option } from '../../cli/option.ts';
import {
  caFileOption,
  clientCertificateOptions,
  clientOf,
  tlsOption,
  trustOf,
  type ClientValues,
  type TlsMode,
  type TlsValues,
} from '../../cli/tls-option.ts';
import type { TlsAsk } from '../../net/dial/tls-ask.ts';

const TLS_ENV = 'KOLLA_PROBE_TLS';

export const CA_FILE_OPTION = caFileOption('KOLLA_PROBE_CA_FILE');

export const CLIENT_OPTIONS = clientCertificateOptions('KOLLA_PROBE_CLIENT_CERT_FILE', 'KOLLA_PROBE_CLIENT_KEY_FILE');

/** TLS options of checks whose URL selects TLS. */
export const URL_TLS_OPTIONS = [
  tlsOption(TLS_ENV, "depends on the URL's scheme"),
  CA_FILE_OPTION,
  ...CLIENT_OPTIONS,
] as const;

export const SERVER_NAME_OPTION = {
  flag: 'server-name',
  type: 'string',
  env: 'KOLLA_PROBE_SERVER_NAME',
  help: 'expected name in the certificate (default: the host name)',
  details: 'For a server addressed by IP.',
  example: 'api.example.org',
} as const satisfies Option;

/** TLS options of checks with HOST:PORT. */
export const TLS_OPTIONS = [tlsOption(TLS_ENV, 'off'), CA_FILE_OPTION, SERVER_NAME_OPTION, ...CLIENT_OPTIONS] as const;

/** TLS options for AMQP, which has a separate port for TLS. */
export const AMQP_TLS_OPTIONS = [
  tlsOption(TLS_ENV, 'off; verify on port 5671'),
  CA_FILE_OPTION,
  SERVER_NAME_OPTION,
  ...CLIENT_OPTIONS,
] as const;

export type VerifyValues = TlsValues & ClientValues & { readonly serverName: string | undefined };

/**
 * How the server's certificate is verified, and what is shown to it; undefined without TLS.
 * @param byDefault the mode without --tls
 * @throws UsageError if options contradict each other or have no effect
 */
export function tlsOf(word: string, values: VerifyValues, byDefault: TlsMode = 'off'): TlsAsk | undefined {
  const { serverName } = values;
  const trust = trustOf(values, byDefault, `${word}: `);
  if (trust === undefined && serverName !== undefined)
    throw new UsageError(`${word}: --server-name is given without TLS: leave it out, or give --tls verify`);
  const client = clientOf(values, trust !== undefined, `${word}: `);
  return trust && { ...trust, serverName, ...client };
}
