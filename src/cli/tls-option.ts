import { UsageError } from '../core/errors.ts';
import type { Option } from './option.ts';

const MODES = ['verify', 'require', 'off'] as const;
export type TlsMode = (typeof MODES)[number];

export interface TlsValues {
  readonly tls: TlsMode | undefined;
  readonly caFile: string | undefined;
}

interface CalledUrl {
  readonly url: Pick<URL, 'protocol'>;
  /** The URL as shown in messages, without credentials. */
  readonly called: string;
}

/** What a connection verifies about a server's certificate. */
export interface Trust {
  /** PEM file of CA certificates that are trusted instead of the system's. */
  readonly caFile?: string | undefined;
  /** Only encrypt, without verifying the certificate. */
  readonly insecure: boolean;
}

/** The meaning of the modes with TLS. */
export const ENCRYPTED_MEANING =
  'verify: encrypted; the certificate must be signed by a CA in --ca-file and match the host name. require: ' +
  'encrypted; the certificate is not verified (for a transition from self-signed certificates).';
export const TLS_MEANING = `${ENCRYPTED_MEANING} off: not encrypted.`;

export function isTlsMode(word: string): word is TlsMode {
  return MODES.some((mode) => mode === word);
}

/**
 * `--tls`, the same for every helper that connects.
 * @param byDefault the mode without --tls, for the help
 */
export function tlsOption<const E extends string>(env: E, byDefault: string) {
  return {
    flag: 'tls',
    type: 'choice',
    values: MODES,
    env,
    help: `TLS mode: verified, unverified or off (default: ${byDefault})`,
    details: TLS_MEANING,
    example: 'verify',
  } as const satisfies Option;
}

/** `--ca-file`, the same for every helper that connects. */
export function caFileOption<const E extends string>(env: E) {
  return {
    flag: 'ca-file',
    type: 'path',
    env,
    help: "CA bundle for --tls verify (default: the image's CA bundle)",
    example: '/etc/ssl/certs/ca-certificates.crt',
  } as const satisfies Option;
}

/** `--client-cert-file` and `--client-key-file`, the same for every helper with a client certificate. */
export function clientCertificateOptions<const C extends string, const K extends string>(certEnv: C, keyEnv: K) {
  return [
    {
      flag: 'client-cert-file',
      type: 'path',
      env: certEnv,
      help: 'PEM file with the certificate to log in with',
      details: 'For a server that requires one. It is read on each connection, because it may be renewed.',
      example: '/etc/kolla/certs/client.crt',
    },
    {
      flag: 'client-key-file',
      type: 'path',
      env: keyEnv,
      help: 'PEM file with its key (default: --client-cert-file)',
      example: '/etc/kolla/certs/client.key',
    },
  ] as const satisfies readonly Option[];
}

export interface ClientValues {
  readonly clientCertFile: string | undefined;
  readonly clientKeyFile: string | undefined;
}

/**
 * The client's certificate.
 * @param isTls whether a connection would use it
 * @param at the option's place in messages: `amqp: `
 * @throws UsageError for a key without a certificate, and for one that nothing would use
 */
export function clientOf({ clientCertFile, clientKeyFile }: ClientValues, isTls: boolean, at: string) {
  if (clientCertFile === undefined && clientKeyFile !== undefined)
    throw new UsageError(`${at}--client-key-file is given without --client-cert-file`);
  if (clientCertFile !== undefined && !isTls)
    throw new UsageError(`${at}--client-cert-file is given without TLS: leave it out, or give --tls verify`);
  return { certFile: clientCertFile, keyFile: clientKeyFile };
}

/**
 * What to verify about a server without a URL; undefined without TLS.
 * @param byDefault the mode without --tls
 * @param at the option's place in messages: '' or `amqp: `
 * @throws UsageError for a CA bundle that nothing would use
 */
export function trustOf({ tls, caFile }: TlsValues, byDefault: TlsMode, at = ''): Trust | undefined {
  const mode = tls ?? byDefault;
  if (caFile !== undefined && mode !== 'verify') {
    const why = tls === undefined ? 'without TLS' : `with --tls ${mode}, which verifies no certificate`;
    throw new UsageError(`${at}--ca-file is given ${why}: leave it out, or give --tls verify`);
  }
  return mode === 'off' ? undefined : { caFile, insecure: mode === 'require' };
}

function isSecured({ protocol }: Pick<URL, 'protocol'>): boolean {
  return protocol === 'https:' || protocol === 'amqps:';
}

/**
 * What to verify about a server whose URL selects TLS. Without TLS a CA bundle is accepted, since it may be for other
 * servers.
 * @param called the URL in messages, without credentials
 * @throws UsageError if URL and --tls contradict each other
 */
export function trustOfUrl(values: TlsValues, url: Pick<URL, 'protocol'>, called: string, at = ''): Trust {
  const isTls = isSecured(url);
  const other = isTls ? url.protocol.slice(0, -2) : `${url.protocol.slice(0, -1)}s`;
  const { tls } = values;
  if (tls === 'off' && isTls)
    throw new UsageError(`${at}--tls off contradicts ${called}: write ${other}://, or leave --tls out`);
  if (tls !== undefined && tls !== 'off' && !isTls)
    throw new UsageError(`${at}--tls ${tls} contradicts ${called}: write ${other}://, or leave --tls out`);
  if (!isTls && tls === undefined) return { insecure: false };
  return trustOf(values, 'verify', at) ?? { insecure: false };
}

/**
 * What to verify about several servers. --tls and --ca-file apply only to those with https:// or amqps://.
 * @throws UsageError as trustOfUrl()
 */
export function trustOfSecured(values: TlsValues, servers: readonly CalledUrl[]): Trust {
  return trustOfUrls(
    values,
    servers.filter(({ url }) => isSecured(url)),
  );
}

/**
 * What to verify about several servers that share --tls and --ca-file.
 * @throws UsageError as trustOfUrl()
 */
export function trustOfUrls(values: TlsValues, servers: readonly CalledUrl[]): Trust {
  const trusts = servers.map(({ url, called }) => ({ url, trust: trustOfUrl(values, url, called) }));
  if (trusts.length === 0 && values.tls !== undefined) trustOf(values, values.tls);
  return trusts.find(({ url }) => isSecured(url))?.trust ?? { insecure: false };
}
