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
  /** The URL in messages, without credentials. */
  readonly called: string;
}

/** What is checked of a server's certificate. */
export interface Trust {
  /** PEM file of CA certificates to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  /** Encrypt only. */
  readonly insecure: boolean;
}

export const TLS_MEANING =
  'verify: encrypted; the certificate must be signed by a CA in --ca-file and match the host name. require: ' +
  'encrypted; the certificate is not verified (for self-signed ones during a migration). off: not encrypted.';

export function isTlsMode(word: string): word is TlsMode {
  return MODES.some((mode) => mode === word);
}

/**
 * `--tls`, the same for every helper that connects.
 * @param byDefault for help: the mode without it
 */
export function tlsOption<const E extends string>(env: E, byDefault: string) {
  return {
    flag: 'tls',
    type: 'choice',
    values: MODES,
    env,
    help: `TLS mode: verified, unverified or off (default ${byDefault})`,
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
    help: "CA bundle for --tls verify (default the image's)",
    example: '/etc/ssl/certs/ca-certificates.crt',
  } as const satisfies Option;
}

/**
 * What to check of a server without a URL; undefined without TLS.
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

/**
 * What to check of a server whose URL decides on TLS: a CA bundle for other servers is valid with http://.
 * @param called the URL in messages, without credentials
 * @throws UsageError if URL and --tls contradict each other
 */
export function trustOfUrl(values: TlsValues, url: Pick<URL, 'protocol'>, called: string, at = ''): Trust {
  const isTls = url.protocol === 'https:';
  const { tls } = values;
  if (tls === 'off' && isTls)
    throw new UsageError(`${at}--tls off contradicts ${called}: write http://, or leave --tls out`);
  if (tls !== undefined && tls !== 'off' && !isTls)
    throw new UsageError(`${at}--tls ${tls} contradicts ${called}: write https://, or leave --tls out`);
  if (!isTls && tls === undefined) return { insecure: false };
  return trustOf(values, 'verify', at) ?? { insecure: false };
}

/**
 * The same for the https:// ones of several servers: http:// URLs stay plain, regardless of --tls.
 * @throws UsageError as trustOfUrl()
 */
export function trustOfSecured(values: TlsValues, servers: readonly CalledUrl[]): Trust {
  return trustOfUrls(
    values,
    servers.filter(({ url }) => url.protocol === 'https:'),
  );
}

/**
 * The same for several servers with one --tls: that of those with TLS.
 * @throws UsageError as trustOfUrl()
 */
export function trustOfUrls(values: TlsValues, servers: readonly CalledUrl[]): Trust {
  const trusts = servers.map(({ url, called }) => ({ url, trust: trustOfUrl(values, url, called) }));
  if (trusts.length === 0 && values.tls !== undefined) trustOf(values, values.tls);
  return trusts.find(({ url }) => url.protocol === 'https:')?.trust ?? { insecure: false };
}
